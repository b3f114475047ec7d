import { Type } from 'typebox'

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
    description: 'Id of a transformation; in the dialect of older systems its place, from 0',
  }),
})
export const UploadParams = Type.Object({
  importId,
  fileName: Type.String({ description: 'Name of the file, which is not a number' }),
})

const expand = Type.Optional(
  Type.String({ description: 'How deep the answer goes: none, self, all, or a number' }),
)

export const ExpandQuery = Type.Object({ expand })
export const ListQuery = Type.Object({
  expand,
  state: Type.Optional(Type.String({ description: 'States of imports, with commas between' })),
  limit: Type.Optional(Type.Integer({ minimum: 0 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
})
export const RunQuery = Type.Object({
  async: Type.Optional(Type.Boolean({ description: 'Answer at once, and work after that' })),
  exec: Type.Optional(Type.Boolean({ description: 'Run the new import when it is prepared' })),
  expand,
})
