import type { ApiArea } from '../../app-types.ts'
import { takeXmlDocuments } from '../../documents.ts'
import { addEndpoints, endpoint } from '../../endpoint.ts'
import { listGroupInventories } from './group-inventory.ts'
import {
  changeLayerGroup,
  changeLayerGroupOfWorkspace,
  createLayerGroup,
  createLayerGroupOfWorkspace,
  deleteLayerGroup,
  deleteLayerGroupOfWorkspace,
  type GroupDeps,
  listLayerGroups,
  listLayerGroupsOfWorkspace,
  showLayerGroup,
  showLayerGroupOfWorkspace,
} from './layer-groups.ts'

const ofWorkspace = '/rest/workspaces/:workspace/layergroups'

/** Groups of layers: of no workspace, of one, and of all for pages. */
export const groupEndpoints = [
  endpoint('GET', '/rest/catalogue/layer-groups', 'staff', 'view', { listGroupInventories }),
  endpoint('GET', '/rest/layergroups', 'public', 'view', { listLayerGroups }),
  endpoint('POST', '/rest/layergroups', 'staff', 'create', { createLayerGroup }),
  endpoint('GET', '/rest/layergroups/:layergroup', 'public', 'view', { showLayerGroup }),
  endpoint('PUT', '/rest/layergroups/:layergroup', 'staff', 'change', { changeLayerGroup }),
  endpoint('DELETE', '/rest/layergroups/:layergroup', 'staff', 'remove', { deleteLayerGroup }),
  endpoint('GET', ofWorkspace, 'public', 'view', { listLayerGroupsOfWorkspace }),
  endpoint('POST', ofWorkspace, 'workspace:manage', 'create', { createLayerGroupOfWorkspace }),
  endpoint('GET', `${ofWorkspace}/:layergroup`, 'public', 'view', { showLayerGroupOfWorkspace }),
  endpoint('PUT', `${ofWorkspace}/:layergroup`, 'workspace:manage', 'change', {
    changeLayerGroupOfWorkspace,
  }),
  endpoint('DELETE', `${ofWorkspace}/:layergroup`, 'workspace:manage', 'remove', {
    deleteLayerGroupOfWorkspace,
  }),
]

/** `/rest/layergroups`, and the groups of workspaces. */
export function groupsArea(deps: GroupDeps): ApiArea {
  return (app) => {
    takeXmlDocuments(app)
    addEndpoints(app, groupEndpoints, deps)
  }
}
