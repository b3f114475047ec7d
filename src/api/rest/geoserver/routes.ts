import type { ApiArea, FastifyRequest } from '../../app-types.ts'
import { sendXmlDocuments, takeXmlDocuments } from '../../documents.ts'
import { addEndpoints, endpoint } from '../../endpoint.ts'
import type { AboutDeps } from './about.ts'
import { reload, showServiceSettings, showSettings, showVersion } from './about.ts'
import type { AclDeps } from './acl.ts'
import { changeAclRules, createAclRules, deleteAclRule, listAclRules } from './acl.ts'
import type { NamespaceDeps } from './namespaces.ts'
import { listNamespaces, showNamespace } from './namespaces.ts'
import type { ResourceDeps } from './resources.ts'
import {
  changeCoverage,
  changeFeatureType,
  deleteCoverage,
  deleteFeatureType,
  showCoverage,
  showFeatureType,
} from './resources.ts'
import type { UserListDeps } from './security.ts'
import { listGeoserverRoles, listGeoserverUsers } from './security.ts'
import type { TileLayerDeps } from './tile-layers.ts'
import { listTileLayers, showTileLayer, truncateTiles } from './tile-layers.ts'
import { uploadCoverageFile } from './upload-coverage.ts'
import type { UploadDeps } from './upload-data.ts'
import { uploadStoreFile } from './upload-data.ts'

const featureType = '/rest/workspaces/:workspace/datastores/:store/featuretypes/:resource'
const coverage = '/rest/workspaces/:workspace/coveragestores/:store/coverages/:resource'

/** Documents that only GeoServer's clients use. */
const documentEndpoints = [
  endpoint('GET', '/rest/namespaces', 'user', 'view', { listNamespaces }),
  endpoint('GET', '/rest/namespaces/:workspace', 'workspace:read', 'view', { showNamespace }),
  endpoint('GET', featureType, 'workspace:read', 'view_metadata', { showFeatureType }),
  endpoint('PUT', featureType, 'workspace:manage', 'change_metadata', { changeFeatureType }),
  endpoint('DELETE', featureType, 'workspace:manage', 'remove', { deleteFeatureType }),
  endpoint('GET', coverage, 'workspace:read', 'view_metadata', { showCoverage }),
  endpoint('PUT', coverage, 'workspace:manage', 'change_metadata', { changeCoverage }),
  endpoint('DELETE', coverage, 'workspace:manage', 'remove', { deleteCoverage }),
  endpoint('GET', '/rest/about/version', 'user', 'view', { showGeoserverVersion: showVersion }),
  endpoint('POST', '/rest/reload', 'staff', 'view', { reload }),
  endpoint('PUT', '/rest/reload', 'staff', 'view', { putReload: reload }),
  endpoint('POST', '/rest/reset', 'staff', 'view', { reset: reload }),
  endpoint('PUT', '/rest/reset', 'staff', 'view', { putReset: reload }),
  endpoint('GET', '/rest/settings', 'staff', 'view', { showSettings }),
  endpoint('GET', '/rest/services/:service/settings', 'staff', 'view', { showServiceSettings }),
  endpoint('GET', '/rest/security/usergroup/users', 'admin', 'view', { listGeoserverUsers }),
  endpoint('GET', '/rest/security/roles', 'admin', 'view', { listGeoserverRoles }),
  endpoint('GET', '/rest/security/acl/layers', 'admin', 'view', { listAclRules }),
  endpoint('POST', '/rest/security/acl/layers', 'admin', 'create', { createAclRules }),
  endpoint('PUT', '/rest/security/acl/layers', 'admin', 'change', { changeAclRules }),
  endpoint('DELETE', '/rest/security/acl/layers/:rule', 'admin', 'remove', { deleteAclRule }),
  endpoint('GET', '/gwc/rest/layers', 'user', 'view', { listTileLayers }),
  endpoint('GET', '/gwc/rest/layers/:layer', 'layer:read', 'view', { showTileLayer }),
  endpoint('POST', '/gwc/rest/masstruncate', 'user', 'change', { truncateTiles }),
]

/** Uploads into stores; the names of the files have an extension. */
const fileEndpoints = [
  endpoint(
    'PUT',
    '/rest/workspaces/:workspace/datastores/:store/:file(^[A-Za-z]+\\.[A-Za-z\\d]+$)',
    'workspace:manage',
    'upload',
    { uploadStoreFile },
  ),
  endpoint(
    'PUT',
    '/rest/workspaces/:workspace/coveragestores/:store/:file(^[A-Za-z]+\\.[A-Za-z\\d]+$)',
    'workspace:manage',
    'upload',
    { uploadCoverageFile },
  ),
]

/** Requests of GeoServer's configuration REST that have no counterpart elsewhere. */
export const geoserverEndpoints = [...documentEndpoints, ...fileEndpoints]

type GeoserverDeps = NamespaceDeps &
  AboutDeps &
  ResourceDeps &
  UserListDeps &
  AclDeps &
  TileLayerDeps &
  UploadDeps

/** `/rest/namespaces`, `/rest/about`, `/gwc/rest` and the like, and uploads into stores. */
export function geoserverAreas(deps: GeoserverDeps): ApiArea[] {
  return [
    (app) => {
      takeXmlDocuments(app)
      addEndpoints(app, documentEndpoints, deps)
    },
    (app) => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
      sendXmlDocuments(app)
      addEndpoints(app, fileEndpoints, deps)
    },
  ]
}
