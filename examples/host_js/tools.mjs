// Tools to play with, over data in memory. A tool takes one object of arguments and returns a value or a promise.

const customers = [
  { id: 7, name: "Grace", email: "grace@example.org", region: "south", since: 2019, active: true },
  { id: 8, name: "Alan", email: "alan@example.org", region: "south", since: 2021, active: false },
  { id: 41, name: "Ada", email: "ada@example.org", region: "north", since: 2018, active: true },
  { id: 42, name: "Edsger", email: "edsger@example.org", region: "north", since: 2020, active: true },
  { id: 43, name: "Barbara", email: "barbara@example.org", region: "north", since: 2022, active: true },
  { id: 44, name: "Donald", email: "donald@example.org", region: "north", since: 2023, active: false },
];
const alerts = [
  { id: "al-1", service: "billing", severity: "high", opened: "09:14", message: "queue is growing" },
  { id: "al-2", service: "search", severity: "low", opened: "09:20", message: "slow answers" },
  { id: "al-3", service: "mail", severity: "high", opened: "09:31", message: "bounces" },
];
const products = [
  { sku: "C-1", title: 'café "noir"', price: 12.5, stock: 9 },
  { sku: "C-2", title: "café crème", price: 11, stock: 0 },
  { sku: "A-17", title: "apron", price: 30, stock: 2 },
];

export const tools = {
  list_customers: ({ region, active }) =>
    customers.filter((c) => c.region === region && (active === undefined || c.active === active)),
  get_customer({ id }) {
    const found = customers.find((c) => c.id === id);
    if (found === undefined) throw new Error(`there is no customer ${id}`);
    return found;
  },
  send_mail: ({ to, subject }) => `sent "${subject}" to ${to}`,

  deploy_service: ({ service, version, dry_run = false }) => ({ id: `${service}-${version}`, status: dry_run ? "planned" : "deployed" }),
  list_alerts: ({ severity }) => alerts.filter((a) => severity === undefined || a.severity === severity),
  restart_host: ({ host }) => `${host} is up again`,
  get_metrics: ({ minutes = 5 }) => ({ cpu: 0.2 + minutes / 100, memory: 0.6 }),

  searchProducts: ({ query, "max price": most = Infinity }) =>
    products.filter((p) => p.title.includes(query) && p.price <= most),
  reserve_stock({ sku, count }) {
    const found = products.find((p) => p.sku === sku);
    if (found === undefined || found.stock < count) throw new Error(`not enough of ${sku}`);
    return { id: `r-${sku}-${count}` };
  },
  get_weather: ({ city }) => ({ temperature: 21, sky: `clear over ${city}` }),
};
