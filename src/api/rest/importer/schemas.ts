import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import {
  correctionStates,
  importStates,
  stopRuleNames,
  taskStates,
  timeModes,
} from '../../../importer/index.ts'
import { loadModes } from '../../../stores/index.ts'
import { WireParameters } from '../catalog/store-response.ts'

/**
 * Response schemas of the importer. Many fields are present only from a level on (`expand`), or in some
 * states.
 */

const oneOf = (names: readonly string[]) => Type.Union(names.map((name) => Type.Literal(name)))
const text = Type.Optional(Type.String())
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
const format = orNull(Type.String())

export const Message = Type.Object({
  level: oneOf(['info', 'warning', 'error']),
  message: Type.String(),
  code: Type.String(),
  row: Type.Optional(Type.Integer()),
})

/** A transformation with its parameters. */
const transformType = { type: Type.String() }
const Spec = Type.Object(transformType, { additionalProperties: true })
export const TransformReply = Type.Object(
  { ...transformType, href: Type.String() },
  { additionalProperties: true, description: 'Parameters, including defaults' },
)
const transforms = Type.Array(TransformReply)
const Chain = Type.Object({ type: oneOf(['vector', 'raster']), transforms })
export const TransformList = Type.Object({ transforms })
export const OlderTransformList = Type.Object({ transformChain: Chain })

const FileItem = Type.Object({ file: Type.String(), href: Type.String() })
export const FileReply = Type.Object({
  type: Type.Literal('file'),
  format,
  location: Type.String({ description: 'Its folder' }),
  file: Type.String(),
  href: Type.String(),
  prj: Type.Optional(orNull(Type.String())),
  other: Type.Optional(Type.Array(Type.String(), { description: 'Other files that belong to it' })),
  charset: text,
  timestamp: Type.Optional(Type.String({ description: 'Of a granule' })),
  message: Type.Optional(Type.String({ description: 'Problem of a granule' })),
})
export const FileList = Type.Object({ files: Type.Array(FileItem) })

const files = Type.Optional(Type.Array(Type.Union([FileReply, FileItem])))
const Time = Type.Object({ mode: oneOf(timeModes), filenameRegex: text, timeFormat: text })
const inFolder = { location: Type.String(), href: Type.String(), charset: text, files }
const DirectoryData = Type.Object({
  type: Type.Literal('directory'),
  format: Type.Optional(format),
  ...inFolder,
})
const MosaicData = Type.Object({
  type: Type.Literal('mosaic'),
  format: Type.Optional(format),
  time: Type.Optional(Time),
  ...inFolder,
})
const RemoteData = Type.Object({
  type: Type.Literal('remote'),
  location: Type.String(),
  username: text,
  password: Type.Optional(Type.String({ description: '`********`' })),
  domain: text,
  format: text,
  href: Type.String(),
  charset: text,
  files,
})
const DatabaseData = Type.Object({
  type: Type.Literal('database'),
  format: Type.String(),
  href: Type.String(),
  parameters: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
  tables: Type.Optional(Type.Array(Type.String())),
})
const TableData = Type.Object({
  type: Type.Literal('table'),
  name: Type.String(),
  format,
  href: Type.String(),
})
export const ImportDataReply = Type.Union([FileReply, DirectoryData, MosaicData, RemoteData, DatabaseData])
export const TaskDataReply = Type.Union([FileReply, DirectoryData, MosaicData, TableData])

const Store = Type.Object({
  name: Type.String(),
  type: text,
  enabled: Type.Optional(Type.Boolean()),
  workspace: Type.Optional(Type.Object({ name: Type.String() })),
  connectionParameters: Type.Optional(WireParameters),
})
const store = { dataStore: Type.Optional(Store), coverageStore: Type.Optional(Store) }
export const TargetReply = Type.Object({ href: Type.String(), ...store })

const TaskLayer = Type.Object({
  name: Type.String(),
  href: Type.String(),
  title: text,
  abstract: text,
  description: text,
  originalName: text,
  nativeName: text,
  srs: text,
  bbox: Type.Optional(
    Type.Object({
      minx: Type.Number(),
      miny: Type.Number(),
      maxx: Type.Number(),
      maxy: Type.Number(),
      crs: Type.Optional(Type.String({ description: 'WKT' })),
    }),
  ),
  attributes: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        binding: Type.String(),
        source: text,
        example: text,
        title: Type.Optional(Type.String({ description: 'Alias of the column in the source' })),
      }),
    ),
  ),
  style: Type.Optional(Type.Object({ name: Type.String(), href: Type.String() })),
  srsCandidates: Type.Optional(
    Type.Array(
      Type.Object({
        srs: orNull(Type.String()),
        wkt: Type.Optional(
          Type.String({
            description: 'The definition that the data declare and that has no code; `srs` is null then',
          }),
        ),
        name: Type.String(),
        confidence: Type.Number(),
        evidence: Type.String(),
      }),
    ),
  ),
})
export const TaskLayerReply = Type.Object({ layer: TaskLayer })
export const TaskStyleReply = Type.Object({
  style: Type.Object({ name: Type.String(), href: Type.String(), format: Type.String() }),
})

/** Rules of `stopIf` that a load has broken. */
export const StoppedReply = Type.Array(
  Type.Object({ rule: oneOf(stopRuleNames), limit: Type.Unknown(), measured: Type.Unknown() }),
)

/** Rows rejected for one reason. */
export const RejectGroups = Type.Array(
  Type.Object({
    code: Type.String(),
    field: Type.Optional(Type.String()),
    reason: Type.String(),
    count: Type.Integer(),
    rows: Type.Array(
      Type.Object({ row: Type.Integer() }, { additionalProperties: true, description: 'Some of them' }),
    ),
  }),
)

const Submission = Type.Object(
  {
    number: Type.Integer({ description: '1 is the first time that rows were sent' }),
    state: oneOf(correctionStates),
    at: Type.String({ description: 'Time when the rows were submitted' }),
    by: text,
    rows: Type.Optional(
      Type.Object({
        sent: Type.Integer({ description: 'loaded, rejected and refused' }),
        loaded: Type.Integer(),
        rejected: Type.Integer({ description: 'Rejected again, possibly for another reason' }),
        refused: Type.Integer({ description: 'Not a rejected row of the task, or no longer rejected' }),
      }),
    ),
    reasons: Type.Optional(RejectGroups),
    stopped: Type.Optional(StoppedReply),
    accepted: Type.Optional(Type.Array(Type.String({ description: 'Limits that the sender accepted' }))),
    messages: Type.Optional(Type.Array(Message)),
    errorMessage: text,
    errorCode: text,
  },
  { description: 'The last submission of corrected rows, and its result' },
)
const GeometryProposal = Type.Object({
  kind: Type.Literal('geometry'),
  transform: Type.Object({ type: Type.String() }, { additionalProperties: true }),
  srs: text,
  evidence: Type.String(),
})
const LabelsProposal = Type.Object({
  kind: Type.Literal('labels'),
  transform: Type.Object({ type: Type.String() }, { additionalProperties: true }),
  evidence: Type.String(),
})
const KeysProposal = Type.Object({
  kind: Type.Literal('keys'),
  keys: Type.Array(Type.String()),
  rows: Type.Object({
    data: Type.Integer({ description: 'Number of data rows that were compared' }),
    layer: Type.Integer({ description: 'Number of layer rows that were compared' }),
    found: Type.Integer({ description: 'Rows of the data with a key that is in the layer' }),
  }),
  exact: Type.Boolean({ description: 'True if these are all rows' }),
  evidence: Type.String(),
})
/** Proposals for a task. */
const Proposals = Type.Array(Type.Union([GeometryProposal, LabelsProposal, KeysProposal]), {
  description:
    'Proposals, most likely first. `geometry`: a transformation to post to `transforms`, with the `srs` of the layer. `labels`: a transformation that loads the labels of coded values as a second column. `keys`: columns for the `keys` of an UPSERT, which are unique in data and layer',
})
export const ProposalsReply = Type.Object({
  proposals: Proposals,
  whole: Type.Boolean({ description: 'False while the search for keys is running: repeat the request' }),
})

const Task = Type.Object({
  id: Type.Integer(),
  href: Type.String(),
  state: oneOf(taskStates),
  rejected: Type.Optional(Type.Integer()),
  updateMode: Type.Optional(oneOf(loadModes)),
  data: Type.Optional(TaskDataReply),
  target: Type.Optional(TargetReply),
  progress: Type.Optional(Type.String({ description: 'URL of its progress' })),
  layer: Type.Optional(TaskLayer),
  errorMessage: text,
  errorCode: Type.Optional(
    Type.String({ description: 'Code of the failure of a task in ERROR, if it has one' }),
  ),
  keys: Type.Optional(Type.Array(Type.String(), { description: 'Key columns that identify a row' })),
  deleteMissing: Type.Optional(Type.Boolean()),
  stopIf: Type.Optional(Type.Object({}, { additionalProperties: true })),
  stopped: Type.Optional(StoppedReply),
  accepted: Type.Optional(
    Type.Object({ stopped: Type.Array(Type.String()), by: Type.String(), at: Type.String() }),
  ),
  changes: Type.Optional(Type.String({ description: 'URL of the list of changes of an UPSERT' })),
  proposals: Type.Optional(Proposals),
  transformChain: Type.Optional(Chain),
  messages: Type.Optional(Type.Array(Message)),
  rowsRead: Type.Optional(Type.Integer()),
  rowsLoaded: Type.Optional(Type.Integer()),
  mended: Type.Optional(
    Type.Integer({
      description:
        'Rejected rows that were corrected and loaded: rowsRead = rowsLoaded + rejected + this number',
    }),
  ),
  mending: Type.Optional(Submission),
  rejects: Type.Optional(
    Type.String({ description: 'URL of the rejected rows; submit corrected rows to the same URL' }),
  ),
  rejectLimit: Type.Optional(
    Type.Union([Type.Number(), Type.String()], {
      description: 'Number of rows, or a percentage such as "5%"',
    }),
  ),
  repair: Type.Optional(Type.Boolean()),
  allowEmpty: Type.Optional(Type.Boolean()),
})
export const TaskReply = Type.Object({ task: Task })
export const TaskList = Type.Object({ tasks: Type.Array(Task) })
/** One dataset creates one task, several create a list. */
export const UploadReply = Type.Union([TaskReply, TaskList])

export const ProgressReply = Type.Object({
  phase: Type.String({ description: 'waiting, transforming, loading, committing, publishing or done' }),
  progress: Type.Number({ description: 'Rows taken so far, or bytes of a raster' }),
  total: Type.Number({ description: '-1 where it cannot be known' }),
  rejected: Type.Integer(),
  rowsPerSecond: Type.Optional(Type.Number()),
  remainingSeconds: Type.Optional(Type.Number()),
  state: oneOf(taskStates),
  message: text,
})

const Import = Type.Object({
  id: Type.Integer(),
  href: Type.String(),
  state: oneOf(importStates),
  archive: Type.Optional(Type.Boolean()),
  dryRun: Type.Optional(
    Type.Object({ state: Type.String() }, { description: 'Result of `/dry-run`; absent if there is none' }),
  ),
  targetWorkspace: Type.Optional(Type.Object({ workspace: Type.Object({ name: Type.String() }) })),
  targetStore: Type.Optional(Type.Object(store)),
  data: Type.Optional(ImportDataReply),
  fetch: Type.Optional(
    Type.Object({
      file: Type.String(),
      bytes: Type.Integer(),
      total: Type.Integer({ description: '-1 where the other server does not tell it' }),
    }),
  ),
  transforms: Type.Optional(Type.Array(Spec)),
  tasks: Type.Optional(Type.Array(Task)),
  allowEmpty: Type.Optional(Type.Boolean()),
  message: text,
  messages: Type.Optional(Type.Array(Message)),
})
export const ImportReply = Type.Object({ import: Import })
export const ImportList = Type.Object({ imports: Type.Array(Import) })

/** Rejected rows as features. */
export const RejectedRowsReply = Type.Object({
  type: Type.Literal('FeatureCollection'),
  features: Type.Array(
    Type.Object({
      type: Type.Literal('Feature'),
      id: Type.Optional(Type.Integer({ description: 'Row' })),
      geometry: orNull(Type.Object({}, { additionalProperties: true })),
      properties: Type.Object(
        {
          _row: Type.Integer(),
          _field: orNull(Type.String()),
          _value: orNull(Type.String()),
          _reason: Type.String(),
        },
        { additionalProperties: true },
      ),
    }),
  ),
})
