import type { Message } from '../format.ts'

/** Column names from the header's cells: empty and repeated ones get a name of their own, with a message each. */
export function uniqueHeaders(cells: readonly string[], messages: Message[]): string[] {
  const taken = new Set(cells)
  const seen = new Set<string>()
  return cells.map((cell, index) => {
    if (cell !== '' && !seen.has(cell)) {
      seen.add(cell)
      return cell
    }
    const name = cell === '' ? freeHeader(`field_${index + 1}`, taken) : freeHeader(cell, taken)
    taken.add(name)
    const what = cell === '' ? 'has no name' : `repeats the name "${cell}"`
    messages.push({
      level: 'warning',
      code: cell === '' ? 'empty-header' : 'repeated-header',
      message: `Column ${index + 1} ${what}: it is called "${name}"`,
    })
    return name
  })
}

function freeHeader(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let suffix = 2; ; suffix += 1) if (!taken.has(`${name}_${suffix}`)) return `${name}_${suffix}`
}
