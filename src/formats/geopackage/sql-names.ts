/** Quotes an identifier for SQLite. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes a text literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** True if two names are equal in SQLite, which ignores the case of ASCII letters only. */
export function isSameName(a: string, b: string): boolean {
  return foldName(a) === foldName(b)
}

export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Regular expression of a name in an SQL statement of another program. */
export const nameForm = '(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|\\[[^\\]]*\\]|[^\\s(]+)'
