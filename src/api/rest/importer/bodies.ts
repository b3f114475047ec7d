import type { Static } from 'typebox'
import { Type } from 'typebox'
import { loadModes } from '../../../stores/index.ts'
import { DatabaseData } from './database-response.ts'

const Named = Type.Object({ name: Type.String() })
const name = Type.String({ minLength: 1, maxLength: 300 })
const text = Type.String({ maxLength: 100_000 })

export const TransformBody = Type.Object({ type: Type.String() }, { additionalProperties: true })
export const Transforms = Type.Array(TransformBody, { maxItems: 100 })
export const TransformChange = Type.Object(
  { type: Type.Optional(Type.String()) },
  { additionalProperties: true },
)

const Time = Type.Object({
  mode: Type.Optional(
    Type.String({
      description:
        'auto: the date in the file name; filename: by filenameRegex and timeFormat; manual: a PUT for each granule; none',
    }),
  ),
  filenameRegex: Type.Optional(
    Type.String({
      description:
        'Regular expression, at most 200 characters: its groups, or else the whole match, are the time',
    }),
  ),
  timeFormat: Type.Optional(
    Type.String({ description: 'Pattern of SimpleDateFormat; without one the time is ISO 8601' }),
  ),
})
export type TimeInput = Static<typeof Time>

const Data = Type.Object({
  type: Type.Optional(Type.String()),
  file: Type.Optional(Type.String()),
  location: Type.Optional(Type.String()),
  upload: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 10_000,
      description: 'Ids of resumable uploads, of type file',
    }),
  ),
  charset: Type.Optional(Type.String()),
  charsetEncoding: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  domain: Type.Optional(Type.String()),
  time: Type.Optional(Time),
})
export type DataInput = Static<typeof Data>

const Store = Type.Object({
  dataStore: Type.Optional(Named),
  coverageStore: Type.Optional(Named),
  store: Type.Optional(Named),
})
export type TargetStoreInput = Static<typeof Store>

/** A store that exists, or in the dialect of older systems a workspace alone, as a change of the target. */
const TargetStore = Type.Object({
  name: Type.Optional(Type.String()),
  workspace: Type.Optional(Type.Object({ name: Type.Optional(Type.String()) })),
})
const Target = Type.Object({
  dataStore: Type.Optional(TargetStore),
  coverageStore: Type.Optional(TargetStore),
  store: Type.Optional(TargetStore),
})
export type TargetInput = Static<typeof Target>

const importProperties = {
  targetWorkspace: Type.Optional(
    Type.Object({ workspace: Type.Optional(Type.Object({ name: Type.Optional(Type.String()) })) }),
  ),
  targetStore: Type.Optional(Store),
  archive: Type.Optional(Type.Boolean()),
  transforms: Type.Optional(Transforms),
  allowEmpty: Type.Optional(Type.Boolean({ description: 'Applied to every task' })),
}
const NewImport = Type.Object({ ...importProperties, data: Type.Optional(Data) })
export type ImportInput = Static<typeof NewImport>
/** An import of the tables of a database. */
export const DatabaseImportBody = Type.Object({
  import: Type.Object({ ...importProperties, data: DatabaseData }),
})
export const ImportBody = Type.Object({ import: Type.Optional(NewImport) })

const Layer = Type.Object({
  name: Type.Optional(name),
  href: Type.Optional(Type.String()),
  title: Type.Optional(text),
  abstract: Type.Optional(text),
  description: Type.Optional(text),
  originalName: Type.Optional(name),
  nativeName: Type.Optional(name),
  srs: Type.Optional(Type.String()),
  bbox: Type.Optional(
    Type.Object({
      minx: Type.Number(),
      miny: Type.Number(),
      maxx: Type.Number(),
      maxy: Type.Number(),
      crs: Type.Optional(Type.String()),
    }),
  ),
  attributes: Type.Optional(
    Type.Array(
      Type.Object({
        name,
        binding: Type.Optional(Type.String()),
        source: Type.Optional(name),
        example: Type.Optional(Type.String()),
        title: Type.Optional(Type.String()),
      }),
    ),
  ),
  style: Type.Optional(Type.Object({ name: Type.String(), href: Type.Optional(Type.String()) })),
  srsCandidates: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
})
export type LayerInput = Static<typeof Layer>
export const TaskLayerBody = Type.Object({ layer: Layer })

const Charset = Type.Object({ charset: Type.Optional(Type.String()) }, { additionalProperties: true })

const strict = { additionalProperties: false }
const RowLimit = Type.Object(
  {
    percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    rows: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  strict,
)
const Bound = Type.Union([Type.Number(), Type.String()])
const ValueRule = Type.Object(
  {
    in: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), { maxItems: 1000 }),
    ),
    min: Type.Optional(Bound),
    max: Type.Optional(Bound),
  },
  strict,
)

/**
 * Limits that stop a load before its commit. Unknown rules are rejected: a misspelt one would stop nothing.
 */
export const StopIf = Type.Object(
  {
    removed: Type.Optional(RowLimit),
    changed: Type.Optional(RowLimit),
    empty: Type.Optional(
      Type.Record(Type.String(), RowLimit, { description: 'Rows without a value, by column' }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), ValueRule, { description: 'Values that may stand in a column' }),
    ),
    columns: Type.Optional(Type.Union([Type.Literal('lost'), Type.Literal('any')])),
    crs: Type.Optional(Type.Boolean({ description: 'The data have another CRS than the layer' })),
    outside: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 4,
        maxItems: 4,
        description: 'minx, miny, maxx, maxy in the CRS of the layer: a row outside stops the load',
      }),
    ),
    fewer: Type.Optional(Type.Integer({ minimum: 0, description: 'Minimum number of loaded rows' })),
  },
  { ...strict, description: 'Limits that stop a load before its commit; null removes them' },
)
export type StopIfInput = Static<typeof StopIf>
/** A person's word that a stopped load is as it should be. */
export const AcceptBody = Type.Object({
  stopped: Type.Array(Type.String(), { minItems: 1, maxItems: 20, description: 'Rules that do not apply' }),
})

const Task = Type.Object({
  updateMode: Type.Optional(Type.String({ description: `${loadModes.join(', ')}, in any letter case` })),
  layer: Type.Optional(Layer),
  target: Type.Optional(Target),
  transformChain: Type.Optional(
    Type.Object({ type: Type.Optional(Type.String()), transforms: Type.Optional(Transforms) }),
  ),
  data: Type.Optional(Charset),
  source: Type.Optional(Charset),
  rejectLimit: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.String()])),
  repair: Type.Optional(Type.Boolean()),
  keys: Type.Optional(
    Type.Array(name, {
      maxItems: 32,
      description: 'Key columns of the table: required for an UPSERT and used in comparisons',
    }),
  ),
  deleteMissing: Type.Optional(
    Type.Boolean({ description: 'An UPSERT deletes layer rows whose key is not in the data' }),
  ),
  stopIf: Type.Optional(Type.Union([StopIf, Type.Null()])),
  allowEmpty: Type.Optional(
    Type.Boolean({
      description:
        'A REPLACE, or an UPSERT with deleteMissing, that reads no row empties the layer; it is an ERROR otherwise',
    }),
  ),
})
export type TaskInput = Static<typeof Task>
/** The elements of a task, in a `task` wrapper or without. */
export const TaskBody = Type.Object({ ...Task.properties, task: Type.Optional(Task) })

export const TargetBody = Target

export const GranuleBody = Type.Object({ timestamp: Type.Optional(Type.String()) })
