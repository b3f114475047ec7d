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
  user: nullable(
    Type.String({ description: 'User who made the change; null for callers without the role staff' }),
  ),
  cause: Type.Union(versionCauses.map((cause) => Type.Literal(cause))),
  import: nullable(Type.Integer({ description: 'The import that it came from' })),
  mode: nullable(Type.String({ description: 'Load mode of that run' })),
  rows: nullable(Type.Integer({ description: 'Rows of the layer' })),
  changes: nullable(Changes),
  columnsChanged: Type.Array(
    Type.String({ description: 'A column that was added, removed, or changed its type' }),
  ),
  style: Type.String({ description: 'Name of the style that drew it' }),
  sizeBytes: nullable(Type.Integer({ description: 'Approximate size of the stored version' })),
  restorable: Type.Boolean(),
  reason: nullable(Type.String({ description: 'Reason why the version cannot be restored' })),
  keptUntil: nullable(
    Type.String({ description: 'Null if the version is not stored, or is stored without a time limit' }),
  ),
  pinned: Type.Boolean(),
})

export const VersionReply = Type.Object({ version: Version }, { title: 'Version' })
export const VersionList = Type.Object({ versions: Type.Array(Version) }, { title: 'VersionList' })
export const RestoreBody = Type.Object({
  what: Type.Optional(
    Type.Array(Type.Union(restoredParts.map((part) => Type.Literal(part))), {
      minItems: 1,
      description: 'Parts to restore: data with columns, style; default both',
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
