import { endpoint } from '../endpoint.ts'
import { explainAccess } from './explain-access.ts'
import { changeGroup, createGroup, deleteGroup, listGroups, showGroup } from './groups.ts'
import {
  changePermission,
  createPermissions,
  deletePermission,
  listPermissions,
  showPermission,
} from './permissions.ts'

/** Groups, permissions, and explanations of decisions. */
export const permissionEndpoints = [
  endpoint('GET', '/rest/security/groups', 'admin', 'view', { listGroups }),
  endpoint('POST', '/rest/security/groups', 'admin', 'create', { createGroup }),
  endpoint('GET', '/rest/security/groups/:group', 'admin', 'view', { showGroup }),
  endpoint('PUT', '/rest/security/groups/:group', 'admin', 'change', { changeGroup }),
  endpoint('DELETE', '/rest/security/groups/:group', 'admin', 'remove', { deleteGroup }),
  endpoint('GET', '/rest/security/permissions', 'admin', 'view', { listPermissions }),
  endpoint('POST', '/rest/security/permissions', 'admin', 'create', { createPermissions }),
  endpoint('GET', '/rest/security/permissions/:id', 'admin', 'view', { showPermission }),
  endpoint('PUT', '/rest/security/permissions/:id', 'admin', 'change', { changePermission }),
  endpoint('DELETE', '/rest/security/permissions/:id', 'admin', 'remove', { deletePermission }),
  endpoint('GET', '/rest/security/access', 'user', 'view', { explainAccess }),
]
