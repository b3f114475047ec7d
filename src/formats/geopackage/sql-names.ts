/** An identifier in double quotes, safe in any statement of SQLite. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Whether two names are the same to SQLite, which folds the case of ASCII letters alone. */
export function isSameName(a: string, b: string): boolean {
  return foldName(a) === foldName(b)
}

export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A name as it may stand in a statement that somebody else has written: a part of a regular expression. */
export const nameForm = '(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|\\[[^\\]]*\\]|[^\\s(]+)'
