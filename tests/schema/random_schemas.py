"""Random sources and values for the schema tests: every construct of the specification, odd spellings, references, cycles."""

import random

DESCRIPTORS = ["lenient", "openai-strict", "openai-non-strict", "anthropic-strict", "anthropic-non-strict", "google-strict",
               "google-non-strict", "xai-strict", "xai-non-strict", "google-openapi"]
NAMES = ["a", "b", "c", "kind", "x y", "name", "ä", "a" * 70, "properties", "type", "$ref", "0", "1", "a/b", "a~b", "__proto__"]
PATTERNS = ["^[a-z]+$", "^a|b$", "a", "^(?!x)\\w+$", "\\bfoo\\b", "^(a)\\1$", "^\\p{L}+$", "^a$|^b$", "[$^]", "(?i:a)b", "^https?://"]
FORMATS = ["date-time", "date", "email", "uri", "uuid", "regex", "int32", "ipv4", "hostname", "iri"]
SCALARS = ["a", "b", "", 1, 2, 1.5, True, False, None, "1", "true", "k", [1], {"k": 1}, "long text", "x"]


class Sources:
    """Random schemas. The same seed gives the same ones."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def document(self):
        r = self.r
        self.defs = r.sample(["A", "B", "Any", "a/b", "C"], r.choice([0, 0, 1, 2, 3]))
        if r.random() < .8:
            root = self.object(0)
        else:
            root = self.schema(0)
        if not isinstance(root, dict):
            return root
        if self.defs:
            root["$defs" if r.random() < .8 else "definitions"] = {d: self.schema(1) for d in self.defs}
        if r.random() < .05:
            root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        return root

    def reference(self, root):
        r = self.r
        if not self.defs or r.random() < .2:
            return "#"
        key = "$defs" if "$defs" in root else "definitions"
        return "#/%s/%s" % (key, r.choice(self.defs).replace("~", "~0").replace("/", "~1"))

    def schema(self, depth):
        r = self.r
        x = r.random()
        if x < .02:
            return True
        if x < .03:
            return False
        if depth > 3:
            s = self.leaf()
        elif x < .30:
            s = self.leaf()
        elif x < .50:
            s = self.object(depth)
        elif x < .60:
            s = self.array(depth)
        elif x < .68:
            s = self.map(depth)
        elif x < .80:
            s = self.union(depth)
        elif x < .87:
            s = self.intersection(depth)
        elif x < .97 and self.defs:
            s = {"$ref": "REF"}
            if r.random() < .15:
                s["required"] = ["a"]
        else:
            s = {}
        self.decorate(s)
        return s

    def decorate(self, s):
        r = self.r
        if r.random() < .25:
            s["description"] = r.choice(["Some text.", "Mit \"Zitat\" und ü.", "Line\nbreak"])
        if r.random() < .06:
            s["title"] = "T"
        if r.random() < .08:
            s["default"] = r.choice(SCALARS)
        if r.random() < .03:
            s["examples"] = ["a"]
        if r.random() < .03:
            s["deprecated"] = True
        if r.random() < .03:
            s["x-note"] = {"y": 1}
        if r.random() < .02:
            s["$comment"] = "c"
        if r.random() < .04:
            s["nullable"] = r.random() < .7
        if r.random() < .03:
            s["not"] = r.choice([{"type": "null"}, {"const": "a"}, {}])
        if r.random() < .02:
            s["minLength"] = 1
        if r.random() < .02:
            s["if"], s["then"] = {"type": "string"}, {"minLength": 1}
        if r.random() < .015:
            s["contains"] = {"$ref": "REF"}
        if r.random() < .02:
            s["type"] = r.choice(["string", "object", ["string", "null"]])

    def leaf(self):
        r = self.r
        k = r.randrange(9)
        if k == 0:
            s = {"type": "string"}
            for key, v in (("minLength", r.randrange(3)), ("maxLength", r.randrange(2, 9)), ("format", r.choice(FORMATS)),
                           ("pattern", r.choice(PATTERNS)), ("contentEncoding", "base64"), ("contentMediaType", "text/html")):
                if r.random() < .2:
                    s[key] = v
            if r.random() < .05:
                s["allOf"] = [{"pattern": r.choice(PATTERNS)}, {"pattern": "b"}]
            return s
        if k == 1:
            s = {"type": r.choice(["number", "integer"])}
            for key, v in (("minimum", r.choice([0, 1, 2.5])), ("maximum", r.choice([5, 10, 7.5])),
                           ("exclusiveMinimum", r.choice([0, 1.5, True, False])), ("exclusiveMaximum", r.choice([6, 9, True])),
                           ("multipleOf", r.choice([1, 2, .5])), ("format", "int32")):
                if r.random() < .2:
                    s[key] = v
            return s
        if k == 2:
            return {"type": r.choice(["boolean", "null"])}
        if k == 3:
            s = {"const": r.choice(SCALARS)}
            if r.random() < .2:
                s["type"] = r.choice(["string", "integer", "number"])
            return s
        if k == 4:
            n = r.choice([0, 1, 2, 3, 4, 50]) if r.random() < .2 else r.randrange(1, 5)
            values = ["v%d" % i for i in range(n)] if n > 10 else r.sample(SCALARS, n)
            if r.random() < .5:
                values = [v for v in values if isinstance(v, str)] or ["a"]
            s = {"enum": values}
            if r.random() < .4:
                s["type"] = r.choice(["string", "integer", ["string", "null"]])
            return s
        if k == 5:
            return {"type": r.sample(["string", "null", "integer", "array", "object", "boolean"], r.choice([1, 2, 3]))}
        if k == 6:
            return r.choice([{"type": "object"}, {"type": "array"}, {}, {"properties": {}}, {"type": "object", "additionalProperties": False}])
        if k == 7:
            return r.choice([{"pattern": "^a"}, {"minimum": 1}, {"minItems": 1}, {"format": "uri"}])
        return {"type": "string"}

    def object(self, depth):
        r = self.r
        names = r.sample(NAMES, r.choice([0, 1, 2, 2, 3, 4]))
        s = {"type": "object", "properties": {n: self.schema(depth + 1) for n in names}}
        if r.random() < .7:
            s["required"] = [n for n in names if r.random() < .5] + (["zz"] if r.random() < .05 else [])
        x = r.random()
        if x < .25:
            s["additionalProperties"] = False
        elif x < .32:
            s["additionalProperties"] = True
        elif x < .40:
            s["additionalProperties"] = self.schema(depth + 1)
        elif x < .42:
            s["additionalProperties"] = []
        if r.random() < .04:
            s["minProperties"] = 1
        if r.random() < .04:
            s["patternProperties"] = {"^x": {"type": "string"}}
        if r.random() < .03:
            s["propertyNames"] = r.choice([{"type": "string"}, {"pattern": "^[a-z]"}])
        if r.random() < .03 and len(names) > 1:
            s[r.choice(["anyOf", "oneOf", "allOf"])] = [{"required": [names[0]]}, {"required": [names[1]]}]
        if r.random() < .02:
            s["dependentRequired"] = {"a": ["b"]}
        if r.random() < .02:
            s["properties"] = []
        if r.random() < .03:
            del s["type"]
        return s

    def array(self, depth):
        r = self.r
        s = {"type": "array"}
        x = r.random()
        if x < .55:
            if x < .5:
                s["items"] = self.schema(depth + 1)
        else:
            n = r.choice([1, 2, 2, 3])
            items = [self.schema(depth + 1) for _ in range(n)]
            if r.random() < .8:
                s["prefixItems"] = items
                if r.random() < .3:
                    s["items"] = r.choice([False, self.schema(depth + 1)])
            else:
                s["items"] = items
                if r.random() < .3:
                    s["additionalItems"] = r.choice([False, self.schema(depth + 1)])
        for key, v in (("minItems", r.randrange(3)), ("maxItems", r.randrange(2, 6)), ("uniqueItems", True), ("minContains", 1)):
            if r.random() < .15:
                s[key] = v
        return s

    def map(self, depth):
        r = self.r
        s = {"type": "object", "additionalProperties": self.schema(depth + 1)}
        if r.random() < .3:
            s["propertyNames"] = r.choice([{"pattern": "^[a-z]+$"}, {"enum": ["a", "b"]}, {"type": "string", "description": "K."}, {"maxLength": 3}])
        if r.random() < .1:
            s["patternProperties"] = {"^[a-z]": self.schema(depth + 1)}
            if r.random() < .6:
                s["additionalProperties"] = False
        if r.random() < .1:
            s["maxProperties"] = 3
        return s

    def union(self, depth):
        r = self.r
        key = r.choice(["anyOf", "anyOf", "oneOf"])
        x = r.random()
        if x < .2:
            options = [self.schema(depth + 1), {"type": "null"}]
        elif x < .35:
            options = [{"const": v, **({"description": "O."} if r.random() < .3 else {})} for v in r.sample(SCALARS, r.choice([1, 2, 3]))]
        elif x < .55:
            options = [{"type": "object", "properties": {"kind": {"const": k}, n: self.schema(depth + 1)}, "required": ["kind"]}
                       for k, n in zip(["a", "b", "c"], r.sample(["p", "q", "r"], r.choice([2, 3])))]
        else:
            options = [self.schema(depth + 1) for _ in range(r.choice([1, 2, 2, 3]))]
        s = {key: options}
        if r.random() < .1:
            s["type"] = r.choice(["object", "string"])
        if r.random() < .05:
            s["properties"] = {"s": {"type": "string"}}
        if r.random() < .03:
            s["oneOf" if key == "anyOf" else "anyOf"] = [self.schema(depth + 1), self.schema(depth + 1)]
        return s

    def intersection(self, depth):
        r = self.r
        s = {"allOf": [self.schema(depth + 1) for _ in range(r.choice([1, 2, 2, 3]))]}
        if r.random() < .3:
            s["properties"] = {"m": {"type": "string"}}
            s["type"] = "object"
        return s

    def resolved(self, s, root):
        """Gives the references their targets."""
        if isinstance(s, dict):
            return {k: self.reference(root) if k == "$ref" and v == "REF" else self.resolved(v, root) for k, v in s.items()}
        if isinstance(s, list):
            return [self.resolved(x, root) for x in s]
        return s

    def next(self):
        root = self.document()
        if isinstance(root, dict):
            root = self.resolved(root, root)
        return root

    def value(self, depth=0):
        """A value that need not fit anything."""
        r = self.r
        x = r.random()
        if depth > 3 or x < .5:
            return r.choice(SCALARS + ["null", "{\"a\":1}", "[1]", "[", "{}", "k"])
        if x < .65:
            return [self.value(depth + 1) for _ in range(r.randrange(4))]
        if x < .75:
            return [{"key": r.choice(["a", "b", 1, True]), "value": self.value(depth + 1)} for _ in range(r.randrange(1, 3))]
        return {n: self.value(depth + 1) for n in r.sample(NAMES + ["m", "p", "q", "zz", "value", "key"], r.randrange(5))}

    def fitting(self, s, root, depth=0):
        """A value that has a chance to fit the emitted schema `s`."""
        r = self.r
        if depth > 8 or r.random() < .04 or not isinstance(s, dict):
            return self.value(3)
        if "$ref" in s:
            here = root
            for token in s["$ref"].split("/")[1:]:
                here = here.get(token.replace("~1", "/").replace("~0", "~"), {}) if isinstance(here, dict) else {}
            return self.fitting(here, root, depth + 1)
        if "const" in s:
            return s["const"]
        if s.get("enum"):
            return r.choice(s["enum"])
        for k in ("anyOf", "oneOf"):
            if s.get(k):
                return self.fitting(r.choice(s[k]), root, depth + 1)
        if s.get("nullable") and r.random() < .3:
            return None
        t = s.get("type")
        if isinstance(t, list):
            t = r.choice(t)
        if t == "object":
            out = {}
            for n, p in s.get("properties", {}).items():
                if n in s.get("required", []) or r.random() < .5:
                    out[n] = self.fitting(p, root, depth + 1)
            extra = s.get("additionalProperties")
            if isinstance(extra, dict) and depth < 6:
                for n in r.sample(["a", "b", "zz"], r.randrange(3)):
                    out.setdefault(n, self.fitting(extra, root, depth + 1))
            return out
        if t == "array":
            if "prefixItems" in s:
                return [self.fitting(x, root, depth + 1) for x in s["prefixItems"]]
            return [self.fitting(s.get("items", {}), root, depth + 1) for _ in range(r.randrange(3) if depth < 6 else 0)]
        if t == "string":
            return r.choice(["a", "b", "abc", "", "1", "null", "{\"a\":1}", "[]", "true"])
        if t in ("number", "integer"):
            return r.choice([0, 1, 2, 5, 1.5])
        if t == "boolean":
            return r.random() < .5
        if t == "null":
            return None
        return self.value(depth + 1)
