/**
 * While pg is loaded, Node 20 has the `navigator` that later Nodes have. Without one pg makes a `Response` to find out
 * where it runs, and that alone loads Node's HTTP client: 5 MB and 50 ms of CPU for every process that only delivers.
 */
const own = !('navigator' in globalThis);

if (own) {
  Object.defineProperty(globalThis, 'navigator', {
    value: { userAgent: `Node.js/${process.versions.node.split('.')[0]}` },
    configurable: true,
  });
}

export function forgetNavigator(): void {
  if (own) Reflect.deleteProperty(globalThis, 'navigator');
}
