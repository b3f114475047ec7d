import { Type } from 'typebox'
import { dryRunStates } from '../../../importer/index.ts'
import { loadModes } from '../../../stores/index.ts'
import { Message, RejectGroups, StoppedReply } from './schemas.ts'

/** Response schemas of a dry run. */

const oneOf = (names: readonly string[]) => Type.Union(names.map((name) => Type.Literal(name)))
const orNull = Type.Union([Type.Integer(), Type.Null()])
const count = Type.Integer()

const Changes = Type.Object(
  { added: count, changed: orNull, removed: count, same: count, matchedBy: Type.Array(Type.String()) },
  { description: 'Rows of the layer; without keys whole rows are compared, and `changed` is null' },
)

const DryRunTask = Type.Object({
  task: count,
  mode: oneOf(loadModes),
  target: Type.Optional(
    Type.Object({
      layer: Type.String(),
      version: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Null for a layer that does not exist yet',
      }),
    }),
  ),
  rows: Type.Object({ read: count, load: count, rejected: count }),
  changes: Type.Optional(Changes),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      change: oneOf(['gained', 'lost', 'type']),
      from: Type.Optional(Type.String()),
      to: Type.Optional(Type.String()),
    }),
  ),
  geometry: Type.Optional(Type.Object({ empty: count, invalid: count, repaired: count })),
  crs: Type.Optional(Type.Object({ srs: Type.Union([Type.String(), Type.Null()]), evidence: Type.String() })),
  bounds: Type.Optional(Type.Array(Type.Number(), { description: 'minx, miny, maxx, maxy of all changes' })),
  rejects: RejectGroups,
  stopped: StoppedReply,
  notTried: Type.Array(Type.String(), { description: 'Other effects of a commit' }),
  changesHref: Type.Optional(Type.String()),
  tilesHref: Type.Optional(Type.String({ description: 'Vector tiles of the difference' })),
  messages: Type.Array(Message),
})

export const DryRunReply = Type.Object({
  dryRun: Type.Object({
    state: oneOf(dryRunStates),
    expires: Type.Optional(Type.String({ description: 'Time when the staged rows are deleted' })),
    tasks: Type.Array(DryRunTask),
  }),
})
