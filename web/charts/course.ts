import type { Period } from '../lib/day-periods.ts'

/** Values of periods that follow each other; null where nothing was measured. */
export interface Line {
  name: string
  /** `before` are the values of the previous periods, each at the index of the compared one. */
  kind: 'now' | 'before' | 'part'
  values: readonly (number | null)[]
}

/** Data of a time chart. */
export interface Course {
  periods: readonly Period[]
  lines: readonly Line[]
  unit: string
}

/** A line of the roles that a style sheet has, and how it is dashed: colour is not the only sign. */
export interface Stroke {
  colour: string
  width: number
  dash: number[]
}

const parts: Stroke[] = [
  { colour: 'var(--d1)', width: 1.75, dash: [] },
  { colour: 'var(--d4)', width: 1.75, dash: [7, 3] },
  { colour: 'var(--d3)', width: 1.75, dash: [2, 2] },
  { colour: 'var(--d6)', width: 1.75, dash: [10, 3, 2, 3] },
  { colour: 'var(--d2)', width: 1.75, dash: [4, 4] },
  { colour: 'var(--d0)', width: 1.75, dash: [1, 3] },
]

/** Returns the style of the line at that index. */
export function strokeOf(lines: readonly Line[], index: number): Stroke {
  const kind = lines[index]?.kind
  if (kind === 'now') return { colour: 'var(--accent)', width: 1.75, dash: [] }
  if (kind === 'before') return { colour: 'var(--ink-3)', width: 1.25, dash: [4, 4] }
  const at = lines.slice(0, index).filter((one) => one.kind === 'part').length
  return parts[at % parts.length] ?? { colour: 'var(--accent)', width: 1.75, dash: [] }
}

/** Returns the current colour of a style role, for a canvas. */
export function colourOf(role: string, within: Element): string {
  const probe = document.createElement('span')
  probe.style.color = role
  within.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
