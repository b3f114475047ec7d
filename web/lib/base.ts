const base = new URL('.', document.baseURI)

/** The address of a path below the server's base path, such as `rest/imports`, without the host. */
export function addressOf(path: string): string {
  return new URL(path.replace(/^\//, ''), base).href.slice(base.origin.length)
}

/** The same with the host, for other programs. */
export function fullAddressOf(path: string): string {
  return base.origin + addressOf(path)
}

/** Returns an address on this server below the base path, beginning with a slash. */
export function pathBelowBase(address: string): string {
  const { pathname } = new URL(address, base)
  return `/${pathname.slice(base.pathname.length)}`
}
