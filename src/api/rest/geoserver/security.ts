import { Type } from 'typebox'
import type { Accounts } from '../../../access/index.ts'
import { operation } from '../../endpoint.ts'

/** Dependencies of the endpoints of users and roles. */
export interface UserListDeps {
  users: Pick<Accounts['users'], 'list'>
  groups: Pick<Accounts['groups'], 'list'>
}

const tags = ['geoserver']

export const listGeoserverUsers = operation({
  summary: 'List users in the shape of GeoServer',
  description: 'Names of all users and whether they may sign in. Needs the role `admin`.',
  tags,
  answers: {
    200: Type.Object({
      users: Type.Array(Type.Object({ userName: Type.String(), enabled: Type.Boolean() })),
    }),
  },
  handle: async ({ users }: UserListDeps) => ({
    users: (await users.list()).map(({ name, isEnabled }) => ({ userName: name, enabled: isEnabled })),
  }),
})

/** Names of the roles that rules may name without a group. */
const systemRoles = ['ADMIN', 'ROLE_ANONYMOUS', 'ROLE_AUTHENTICATED'] as const

export const listGeoserverRoles = operation({
  summary: 'List roles in the shape of GeoServer: groups, and the roles of its own',
  description:
    'Groups are roles in rules. `ADMIN`, `ROLE_ANONYMOUS` and `ROLE_AUTHENTICATED` always exist. Needs the role `admin`.',
  tags,
  answers: { 200: Type.Object({ roles: Type.Array(Type.String()) }) },
  handle: async ({ groups }: UserListDeps) => ({
    roles: [...systemRoles, ...(await groups.list()).map(({ name }) => name)],
  }),
})
