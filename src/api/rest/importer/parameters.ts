import { Type } from 'typebox'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import { findEncodingName } from '../../../core/text/encoding-names.ts'

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

/** Parts of paths and queries of the importer. */

const importId = Type.String({ description: 'Id of an import: a whole number' })
const taskId = Type.String({ description: 'Id of a task within its import: a whole number' })
const fileId = Type.String({ description: 'Path of a file within its data, as `data/files` lists it' })

export const ImportParams = Type.Object({ importId })
export const TaskParams = Type.Object({ importId, taskId })
export const FileParams = Type.Object({ importId, fileId })
export const TaskFileParams = Type.Object({ importId, taskId, fileId })
export const TransformParams = Type.Object({
  importId,
  taskId,
  transformId: Type.String({
    description: 'Id of a transformation; in the dialect of older systems its position, from 0',
  }),
})
export const UploadParams = Type.Object({
  importId,
  fileName: Type.String({ description: 'Name of the file, which is not a number' }),
})

const expand = Type.Optional(
  Type.String({ description: 'Detail of the response: none, self, all, or a number of levels' }),
)

export const ExpandQuery = Type.Object({ expand })
export const ImportListQuery = Type.Object({
  expand,
  state: Type.Optional(Type.String({ description: 'States of imports, separated by commas' })),
  limit: Type.Optional(Type.Integer({ minimum: 0 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
})
export const RunQuery = Type.Object({
  async: Type.Optional(Type.Boolean({ description: 'Respond at once and continue in the background' })),
  exec: Type.Optional(Type.Boolean({ description: 'Run the new import as soon as it is prepared' })),
  expand,
})

/** Returns the name of a text encoding as given; throws `Failure` (`invalid`) for an unknown one. */
export function requireCharset(charset: string | undefined): string | undefined {
  if (charset === undefined || findEncodingName(charset) !== undefined) return charset
  throw invalid('invalid-charset', `"${charset}" is not a known text encoding`)
}

/**
 * Returns the depth of a representation: `none` 0, `self` 1, `all` unlimited, or a number; otherwise the
 * default.
 */
export function parseExpand(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const word = text.trim().toLowerCase()
  if (word === 'none') return 0
  if (word === 'self') return 1
  if (word === 'all') return Number.POSITIVE_INFINITY
  return /^\d{1,6}$/.test(word) ? Number(word) : fallback
}
