/** Replaces the path of the scratch folder in stored documents, since it differs between servers. */
const marker = 'scratch://'
/** Escapes a text that begins with the marker: it is appended to the prepended marker. */
const escaped = '!'

let root: string | undefined

/** Sets the scratch folder of this server; undefined where servers share their disk. */
export function setPortableRoot(folder: string | undefined): void {
  root = folder
}

/**
 * Returns a document as JSON. Paths in the scratch folder are written without the folder, so that another server finds
 * the file in its own.
 */
export function stringifyDocument(value: unknown): string {
  return root === undefined ? JSON.stringify(value) : JSON.stringify(value, toPortable)
}

/** Parses a document that `stringifyDocument` wrote on any server. */
export function parseDocument(text: string): unknown {
  return root === undefined ? JSON.parse(text) : JSON.parse(text, fromPortable)
}

function toPortable(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || root === undefined) return value
  if (value.startsWith(marker)) return `${marker}${escaped}${value}`
  const isWithin = value === root || value.startsWith(`${root}/`)
  return isWithin ? marker + value.slice(root.length) : value
}

function fromPortable(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || root === undefined || !value.startsWith(marker)) return value
  const rest = value.slice(marker.length)
  return rest.startsWith(escaped) ? rest.slice(escaped.length) : root + rest
}
