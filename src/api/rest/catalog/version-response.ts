import { Type } from 'typebox'
import type { Rights } from '../../../access/index.ts'
import {
  restoredParts,
  type VersionedLayer,
  type VersionSummary,
  versionCauses,
} from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { layerPath } from './paths.ts'

const nullable = <Shape extends Parameters<typeof Type.Union>[0][number]>(shape: Shape) =>
  Type.Union([shape, Type.Null()])

/** Numbers of changed rows. */
export const Changes = Type.Object({
  added: Type.Integer(),
  changed: nullable(Type.Integer()),
  removed: Type.Integer(),
  same: Type.Integer(),
})

const Version = Type.Object({
  version: Type.Integer(),
  href: Type.String(),
  created: Type.String(),
  user: nullable(Type.String({ description: 'Who brought it about; null for callers below staff' })),
  cause: Type.Union(versionCauses.map((cause) => Type.Literal(cause))),
  import: nullable(Type.Integer({ description: 'The import that it came from' })),
  mode: nullable(Type.String({ description: 'How that loaded rows' })),
  rows: nullable(Type.Integer({ description: 'Rows of the layer' })),
  changes: nullable(Changes),
  columnsChanged: Type.Array(
    Type.String({ description: 'A column that came, went, or has another type than before' }),
  ),
  style: Type.String({ description: 'Name of the style that drew it' }),
  sizeBytes: nullable(Type.Integer({ description: 'What keeping it takes, about' })),
  restorable: Type.Boolean(),
  reason: nullable(Type.String({ description: 'Reason why the version cannot be restored' })),
  keptUntil: nullable(Type.String({ description: 'Null where it is not kept, or for good' })),
  pinned: Type.Boolean(),
})

export const VersionReply = Type.Object({ version: Version }, { title: 'Version' })
export const VersionList = Type.Object({ versions: Type.Array(Version) }, { title: 'VersionList' })
export const RestoreBody = Type.Object({
  what: Type.Optional(
    Type.Array(Type.Union(restoredParts.map((part) => Type.Literal(part))), {
      minItems: 1,
      description: 'What comes back: data with their columns, style; absent: both',
    }),
  ),
})
export const VersionBody = Type.Object({ pinned: Type.Boolean() })

/** A version as clients see it. */
export function toVersionResponse(
  request: FastifyRequest,
  rights: Rights,
  of: VersionedLayer,
  one: VersionSummary,
) {
  const isManager = rights.can('manage', of.layer ?? { workspace: of.workspace })
  return {
    version: one.version,
    href: request.link(`${layerPath(of)}/versions/${one.version}`),
    created: one.createdAt,
    user: isManager ? (one.user ?? null) : null,
    cause: one.cause,
    import: isManager ? (one.importId ?? null) : null,
    mode: one.mode ?? null,
    rows: one.rows ?? null,
    changes: one.changes ?? null,
    columnsChanged: one.columnsChanged,
    style: one.details.style,
    sizeBytes: one.content.sizeBytes ?? null,
    restorable: one.restorable,
    reason: one.reason,
    keptUntil: one.keptUntil ?? null,
    pinned: one.isPinned,
  }
}
