import { Type } from 'typebox'
import {
  type Action,
  actions,
  type Decision,
  decisionText,
  type Group,
  groupSources,
  type Permission,
  type PermissionValues,
  parseResource,
  resourceText,
  type Subject,
} from '../../access/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'

const Name = Type.String({ minLength: 1, maxLength: 200 })
const ActionName = Type.Enum([...actions], {
  description:
    '`read`; `download` files of whole layers; `edit` single features; `import`: create and replace layers; `manage`: everything',
})
const ResourceName = Type.String({
  maxLength: 1000,
  description: '`*`, `<workspace>` or `<workspace>:<layer>`',
})

export const GroupBody = Type.Object({
  group: Type.Object({
    name: Type.Optional(Name),
    title: Type.Optional(Type.String({ maxLength: 500 })),
    members: Type.Optional(
      Type.Array(Name, {
        maxItems: 10_000,
        description: 'Names of users. Memberships that a sign-in provider gave are not changed',
      }),
    ),
  }),
})

const GroupResponse = Type.Object(
  {
    name: Type.String(),
    title: Type.Optional(Type.String()),
    source: Type.Enum([...groupSources], { description: 'Source of the group' }),
    members: Type.Array(Type.String(), { description: 'Names of users, by any source' }),
    sources: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Members by the source of the membership',
    }),
    href: Type.String(),
  },
  { title: 'Group' },
)
export const GroupReply = Type.Object({ group: GroupResponse })
export const GroupList = Type.Object({ groups: Type.Array(GroupResponse) })

export function toGroupResponse(request: FastifyRequest, group: Group) {
  const { name, title, source, members } = group
  const bySource = Map.groupBy(members, (member) => member.source)
  return {
    name,
    title,
    source,
    members: [...new Set(members.map(({ user }) => user))],
    sources: Object.fromEntries([...bySource].map(([key, some]) => [key, some.map(({ user }) => user)])),
    href: request.link(`/rest/security/groups/${encodeURIComponent(name)}`),
  }
}

const SubjectBody = Type.Object(
  {
    user: Type.Optional(Name),
    group: Type.Optional(Name),
    everyone: Type.Optional(Type.Boolean({ description: 'Anonymous callers too' })),
    authenticated: Type.Optional(Type.Boolean({ description: 'Every user' })),
  },
  { description: 'Exactly one of these members', title: 'Subject' },
)
export const PermissionInput = Type.Object(
  {
    subject: SubjectBody,
    resource: ResourceName,
    actions: Type.Array(ActionName, { minItems: 1, maxItems: actions.length }),
  },
  { title: 'PermissionInput' },
)
const PermissionResponse = Type.Object(
  { id: Type.Integer(), ...PermissionInput.properties, href: Type.String() },
  { title: 'Permission' },
)
export const PermissionReply = Type.Object({ permission: PermissionResponse })
export const PermissionList = Type.Object({ permissions: Type.Array(PermissionResponse) })
const RoleActions = Type.Array(ActionName)
export const ListedPermissions = Type.Object({
  ...PermissionList.properties,
  roles: Type.Object(
    { admin: RoleActions, staff: RoleActions, user: RoleActions },
    {
      description: 'Rights of each role without a permission (`TERRANE_DEFAULT_READ`, `TERRANE_STAFF_SCOPE`)',
    },
  ),
})

/** A permission in a body. */
export interface PermissionInputValues {
  subject: { user?: string; group?: string; everyone?: boolean; authenticated?: boolean }
  resource: string
  actions: Action[]
}

/** Returns the values of a permission in a body; throws `Failure` (`invalid`) for none or several subjects. */
export function readPermission({
  subject,
  resource,
  actions: given,
}: PermissionInputValues): PermissionValues {
  return { subject: readSubject(subject), ...parseResource(resource), actions: given }
}

function readSubject({ user, group, everyone, authenticated }: PermissionInputValues['subject']): Subject {
  const subjects: Subject[] = []
  if (user !== undefined) subjects.push({ kind: 'user', name: user })
  if (group !== undefined) subjects.push({ kind: 'group', name: group })
  if (everyone === true) subjects.push({ kind: 'everyone' })
  if (authenticated === true) subjects.push({ kind: 'authenticated' })
  const [subject] = subjects
  if (subject !== undefined && subjects.length === 1) return subject
  throw invalid(
    'invalid-permission',
    `A permission has exactly one subject: {"user": name}, {"group": name}, {"everyone": true} or {"authenticated": true}; found ${subjects.length}`,
  )
}

function toSubjectResponse(subject: Subject) {
  return 'name' in subject ? { [subject.kind]: subject.name } : { [subject.kind]: true }
}

export function toPermissionResponse(request: FastifyRequest, permission: Permission) {
  return {
    id: permission.id,
    subject: toSubjectResponse(permission.subject),
    resource: resourceText(permission),
    actions: permission.actions,
    href: request.link(`/rest/security/permissions/${permission.id}`),
  }
}

const DecisionResponse = Type.Object({
  action: ActionName,
  allowed: Type.Boolean(),
  rule: Type.Enum(['role', 'default-read', 'public', 'permission', 'token', 'none'], {
    description: 'Kind of the rule that decided',
  }),
  permission: Type.Optional(Type.Integer({ description: 'Id of the permission that decided' })),
  reason: Type.String(),
})
export const AccessReply = Type.Object({
  access: Type.Object({
    resource: ResourceName,
    user: Type.Union([Type.String(), Type.Null()], { description: 'null: an anonymous caller' }),
    role: Type.String(),
    groups: Type.Array(Type.String()),
    decisions: Type.Array(DecisionResponse),
  }),
})

export function toDecisionResponse(decision: Decision) {
  const { action, isAllowed, rule } = decision
  return {
    action,
    allowed: isAllowed,
    rule: rule.kind,
    permission: rule.kind === 'permission' ? rule.permission.id : undefined,
    reason: decisionText(decision),
  }
}
