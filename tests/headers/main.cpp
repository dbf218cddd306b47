// What is tested happens before: the headers compiled, and no two of their objects define the same.
int main() { return 0; }
