import type { Static } from 'typebox'
import { Type } from 'typebox'
import { serviceKinds } from '../../../inputs/index.ts'
import { problemKinds, runOutcomes, runTriggers, sourceModes, sourceStates } from '../../../sources/index.ts'
import { StopIf, Transforms } from '../importer/bodies.ts'
import { DatabaseData } from '../importer/database-response.ts'

const text = (description: string, maxLength = 2000) => Type.String({ minLength: 1, maxLength, description })
const optional = Type.Optional
const name = Type.String({ minLength: 1, maxLength: 300 })

const Incremental = Type.Object({
  field: optional(text('Attribute with the edit time', 300)),
  fullEvery: optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Number of incremental runs between complete ones; default 24',
    }),
  ),
})

const Data = Type.Object(
  {
    type: Type.Enum(['file', 'directory', 'mosaic', 'remote', 'database', 'service']),
    file: optional(text('Path in an import root')),
    location: optional(text('Path in an import root, or address of another server')),
    charset: optional(Type.String({ maxLength: 100 })),
    username: optional(Type.String({ maxLength: 1000 })),
    password: optional(Type.String({ maxLength: 1000, description: 'Stored encrypted and never returned' })),
    domain: optional(Type.String({ maxLength: 1000 })),
    parameters: optional(DatabaseData.properties.parameters),
    tables: optional(Type.Array(name, { minItems: 1, maxItems: 10_000 })),
    kind: optional(Type.Enum([...serviceKinds], { description: 'Of a service' })),
    layer: optional(text('Collection, feature type or layer of a service', 300)),
    where: optional(text('Filter in the language of the service', 4000)),
    incremental: optional(Incremental),
  },
  { additionalProperties: false, description: 'Data of the importer, or a service' },
)
export type SourceDataInput = Static<typeof Data>

const Cron = Type.Object(
  {
    cron: text('Minute, hour, day of month, month, day of week', 200),
    timeZone: optional(text('IANA name; default UTC', 100)),
  },
  { additionalProperties: false },
)
const Watch = Type.Object(
  {
    watch: Type.Literal(true),
    quietSeconds: optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: 'Seconds without a change after which a file is complete; default 10',
      }),
    ),
  },
  { additionalProperties: false },
)

const properties = {
  data: optional(Data),
  transforms: optional(Transforms),
  target: optional(
    Type.Object(
      { workspace: optional(name), store: optional(name), layer: optional(name) },
      { additionalProperties: false },
    ),
  ),
  srs: optional(Type.Union([text('CRS of data that declare none, such as EPSG:25832', 100), Type.Null()])),
  updateMode: optional(Type.Enum([...sourceModes])),
  keys: optional(Type.Array(name, { maxItems: 32 })),
  deleteMissing: optional(Type.Boolean()),
  stopIf: optional(Type.Union([StopIf, Type.Null()])),
  repair: optional(Type.Boolean()),
  allowEmpty: optional(Type.Boolean()),
  schedule: optional(Type.Union([Cron, Watch, Type.Null()])),
  overdueSeconds: optional(Type.Integer({ minimum: 60, maximum: 31_536_000 })),
  retry: optional(
    Type.Object(
      {
        times: optional(Type.Integer({ minimum: 0, maximum: 20 })),
        firstSeconds: optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
      },
      { additionalProperties: false },
    ),
  ),
  receivers: optional(
    Type.Array(Type.String({ minLength: 3, maxLength: 1000 }), {
      maxItems: 100,
      description: 'Mail addresses and webhook URLs that are told about problems',
    }),
  ),
  owner: optional(text('User whose rights the runs have; default the user who creates the source', 100)),
  enabled: optional(Type.Boolean()),
}

const Input = Type.Object(properties, { additionalProperties: false })
export type SourceInputBody = Static<typeof Input>
export const NewSourceBody = Type.Object({
  source: Type.Object({ name: Type.String(), ...properties }, { additionalProperties: false }),
})
export const SourceBody = Type.Object({
  source: Type.Object({ name: optional(Type.String()), ...properties }, { additionalProperties: false }),
})

export const RunBody = Type.Object({
  recreate: optional(Type.Boolean({ description: 'True if the restore creates a deleted layer again' })),
  complete: optional(
    Type.Boolean({ description: 'Reads all data from a service that is usually read incrementally' }),
  ),
})
export const AcceptBody = Type.Object({
  stopped: Type.Array(Type.String(), { minItems: 1, maxItems: 20, description: 'Rules that do not apply' }),
})

const Run = Type.Object({
  id: Type.Integer(),
  trigger: Type.Enum([...runTriggers]),
  due: Type.String(),
  started: Type.Union([Type.String(), Type.Null()]),
  ended: Type.Union([Type.String(), Type.Null()]),
  outcome: Type.Union([Type.Enum([...runOutcomes]), Type.Null()], {
    description: 'Null while the run is queued or running',
  }),
  attempts: Type.Integer(),
  nextAttempt: optional(Type.String()),
  import: Type.Union([Type.Object({ id: Type.Integer(), href: Type.String() }), Type.Null()]),
  version: Type.Union([Type.Integer(), Type.Null()]),
  layers: Type.Array(
    Type.Object({
      name: Type.String(),
      version: Type.Integer(),
      href: Type.String(),
      changesHref: Type.String({ description: 'The version, with the map of its difference' }),
    }),
  ),
  rows: Type.Union([Type.Integer(), Type.Null()]),
  changes: Type.Union([
    Type.Object({
      added: Type.Integer(),
      changed: Type.Union([Type.Integer(), Type.Null()]),
      removed: Type.Integer(),
    }),
    Type.Null(),
  ]),
  stopped: optional(
    Type.Array(Type.Object({ rule: Type.String(), limit: Type.Unknown(), measured: Type.Unknown() })),
  ),
  acceptedBy: optional(Type.String()),
  code: optional(Type.String()),
  message: Type.Union([Type.String(), Type.Null()]),
  notes: optional(Type.Array(Type.String())),
})
export const RunReply = Type.Object({ run: Run }, { title: 'SourceRun' })
export const RunList = Type.Object({ runs: Type.Array(Run) })

const Reply = Type.Object({
  name: Type.String(),
  href: Type.String(),
  data: Type.Object({ type: Type.String() }, { additionalProperties: true }),
  transforms: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
  target: Type.Object({}, { additionalProperties: true }),
  srs: optional(Type.String()),
  updateMode: Type.Enum([...sourceModes]),
  keys: properties.keys,
  deleteMissing: properties.deleteMissing,
  stopIf: optional(StopIf),
  repair: properties.repair,
  allowEmpty: properties.allowEmpty,
  schedule: Type.Union([Cron, Watch, Type.Null()]),
  retry: Type.Object({ times: Type.Integer(), firstSeconds: Type.Integer() }),
  overdueSeconds: Type.Integer(),
  receivers: Type.Array(Type.String()),
  owner: Type.String(),
  enabled: Type.Boolean(),
  state: Type.Enum([...sourceStates]),
  nextRun: Type.Union([Type.String(), Type.Null()]),
  lastRun: Type.Union([Run, Type.Null()]),
  lastSuccess: Type.Union([Type.String(), Type.Null()]),
  layers: Type.Array(Type.String(), {
    description: 'Layers that the source has loaded, as `workspace:layer`',
  }),
  problem: Type.Union(
    [Type.Object({ kind: Type.Enum([...problemKinds]), message: Type.String() }), Type.Null()],
    { description: 'Events about which receivers are notified; null while the source is switched off' },
  ),
})
export const SourceReply = Type.Object({ source: Reply }, { title: 'Source' })
export const SourceList = Type.Object({ sources: Type.Array(Reply) })
