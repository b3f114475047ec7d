/** A link of a response with features. */
export interface ItemLink {
  rel: string
  type: string
  href: string
  title?: string
}

/** A link as RFC 8288 writes it in a header. */
export function linkHeader({ rel, type, href, title }: ItemLink): string {
  const told = title === undefined ? '' : `; title="${title.replaceAll(/["\\]/g, '')}"`
  return `<${href}>; rel="${rel}"; type="${type.replaceAll('"', '')}"${told}`
}
