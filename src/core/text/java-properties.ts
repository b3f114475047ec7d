import { ownValue } from '../values/record-keys.ts'
/** An entry of a Java properties file with the number of its first line, from 1. */
export interface Property {
  line: number
  key: string
  value: string
}

/**
 * Reads a Java properties file (`java.util.Properties`): comments, continued lines, and escapes. A line without a separator
 * has an empty value.
 */
export function readProperties(text: string): Property[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const found: Property[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = at + 1
    let whole = (lines[at] ?? '').trimStart()
    if (whole === '' || whole.startsWith('#') || whole.startsWith('!')) continue
    while (/(?:^|[^\\])(?:\\\\)*\\$/.test(whole) && at + 1 < lines.length) {
      at += 1
      whole = whole.slice(0, -1) + (lines[at] ?? '').trimStart()
    }
    found.push({ line, ...splitProperty(whole) })
  }
  return found
}

/** The key ends at the first `=`, `:` or blank that is not escaped. */
function splitProperty(whole: string): { key: string; value: string } {
  const [, key = '', value = ''] = /^((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)$/s.exec(whole) ?? []
  return { key: unescapeText(key), value: unescapeText(value).trim() }
}

const letters: Record<string, string> = { n: '\n', r: '\r', t: '\t', f: '\f' }

function unescapeText(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, letter: string) =>
    code === undefined
      ? (ownValue(letters, letter) ?? letter)
      : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
