import { notFound } from '../../lib/errors.ts'

export const importPath = (importId: number): string => `/rest/imports/${importId}`
export const taskPath = (importId: number, taskId: number): string =>
  `${importPath(importId)}/tasks/${taskId}`

const unknownThings = {
  import: 'unknown-import',
  task: 'unknown-task',
  transform: 'unknown-transform',
} as const

/** The number that a path segment is; anything else is an unknown thing. */
export function parseId(text: string, what: keyof typeof unknownThings): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw notFound(unknownThings[what], `No such ${what}: ${text}`)
}
