import type { Catalog } from '../../../catalog/index.ts'
import type { ApiArea, FastifyRequest } from '../../app-types.ts'
import { takeXmlDocuments } from '../../documents.ts'
import { addEndpoints, endpoint } from '../../endpoint.ts'
import type { ComparisonDeps, InventoryDeps, PublicAccessDeps, VersionDeps } from './catalog-deps.ts'
import { listPalettes, showClasses } from './classes.ts'
import { makeStyleOfLayer } from './classified-styles.ts'
import {
  listCoverageStoreDependents,
  listDataStoreDependents,
  listStoreInventories,
  listWorkspaceDependents,
  listWorkspaceInventories,
} from './inventory.ts'
import {
  changeLayer,
  deleteLayer,
  listLayers,
  listLayersOfWorkspace,
  refreshLayer,
  showLayer,
} from './layers.ts'
import { createCoverage, listCoverages, listStoreRasters, publishRasters } from './published-rasters.ts'
import { createFeatureType, listFeatureTypes, listStoreTables, publishTables } from './published-tables.ts'
import { checkCoverageStore, checkDataStore, checkNewDataStore } from './store-check.ts'
import {
  changeCoverageStore,
  changeDataStore,
  createCoverageStore,
  createDataStore,
  deleteCoverageStore,
  deleteDataStore,
  listCoverageStores,
  listDataStores,
  showCoverageStore,
  showDataStore,
} from './stores.ts'
import { documentTypes, readStyleText } from './style-documents.ts'
import { changeStyle, createStyle, deleteStyle, listStyles, showStyle } from './styles.ts'
import {
  changeStyleOfWorkspace,
  createStyleOfWorkspace,
  deleteStyleOfWorkspace,
  listStylesOfWorkspace,
  showStyleOfWorkspace,
} from './styles-of-workspace.ts'
import { listVersionChanges } from './version-changes.ts'
import { changeVersion, listVersions, removeVersion, restoreVersion, showVersion } from './versions.ts'
import {
  changeDefaultWorkspace,
  changeWorkspace,
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  showDefaultWorkspace,
  showWorkspace,
  showWorkspaceUsage,
} from './workspaces.ts'

/** `/rest/workspaces` and, in each, its stores. */
const workspaceEndpoints = [
  endpoint('GET', '/rest/workspaces', 'user', 'view', { listWorkspaces }),
  endpoint('POST', '/rest/workspaces', 'staff', 'create', { createWorkspace }),
  endpoint('GET', '/rest/workspaces/default', 'user', 'view', { showDefaultWorkspace }),
  endpoint('PUT', '/rest/workspaces/default', 'staff', 'change', { changeDefaultWorkspace }),
  endpoint('GET', '/rest/workspaces/:workspace', 'workspace', 'view', { showWorkspace }),
  endpoint('GET', '/rest/workspaces/:workspace/usage', 'workspace:read', 'view', { showWorkspaceUsage }),
  endpoint('PUT', '/rest/workspaces/:workspace', 'workspace:manage', 'change', { changeWorkspace }),
  endpoint('DELETE', '/rest/workspaces/:workspace', 'workspace:manage', 'remove', { deleteWorkspace }),
]

/** Stores: of features, and files of rasters. */
const storeEndpoints = [
  endpoint('GET', '/rest/workspaces/:workspace/datastores', 'workspace:read', 'view', { listDataStores }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores', 'workspace:manage', 'create', {
    createDataStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store', 'workspace:manage', 'view', {
    showDataStore,
  }),
  endpoint('PUT', '/rest/workspaces/:workspace/datastores/:store', 'workspace:manage', 'change', {
    changeDataStore,
  }),
  endpoint('DELETE', '/rest/workspaces/:workspace/datastores/:store', 'workspace:manage', 'remove', {
    deleteDataStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store/featuretypes', 'workspace:read', 'view', {
    listFeatureTypes,
  }),
  endpoint(
    'POST',
    '/rest/workspaces/:workspace/datastores/:store/featuretypes',
    'workspace:manage',
    'create',
    { createFeatureType },
  ),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store/tables', 'workspace:manage', 'view', {
    listStoreTables,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores/:store/tables', 'workspace:manage', 'create', {
    publishTables,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores', 'workspace:read', 'view', {
    listCoverageStores,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/coveragestores', 'workspace:manage', 'create', {
    createCoverageStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores/:store', 'workspace:manage', 'view', {
    showCoverageStore,
  }),
  endpoint('PUT', '/rest/workspaces/:workspace/coveragestores/:store', 'workspace:manage', 'change', {
    changeCoverageStore,
  }),
  endpoint('DELETE', '/rest/workspaces/:workspace/coveragestores/:store', 'workspace:manage', 'remove', {
    deleteCoverageStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores/:store/coverages', 'workspace:read', 'view', {
    listCoverages,
  }),
  endpoint(
    'POST',
    '/rest/workspaces/:workspace/coveragestores/:store/coverages',
    'workspace:manage',
    'create',
    { createCoverage },
  ),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores/:store/rasters', 'workspace:manage', 'view', {
    listStoreRasters,
  }),
  endpoint(
    'POST',
    '/rest/workspaces/:workspace/coveragestores/:store/rasters',
    'workspace:manage',
    'create',
    { publishRasters },
  ),
]

/** Contents of workspaces and stores, dependents of a deletion, and checks of stores. */
const inventoryEndpoints = [
  endpoint('GET', '/rest/catalogue/workspaces', 'staff', 'view', {
    listCountedWorkspaces: listWorkspaceInventories,
  }),
  endpoint('GET', '/rest/catalogue/stores', 'staff', 'view', { listCountedStores: listStoreInventories }),
  endpoint('GET', '/rest/workspaces/:workspace/dependents', 'workspace:manage', 'view', {
    listWorkspaceDependents,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores/check', 'workspace:manage', 'view', {
    checkNewDataStore,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores/:store/check', 'workspace:manage', 'view', {
    checkDataStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store/dependents', 'workspace:manage', 'view', {
    listDataStoreDependents,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/coveragestores/:store/check', 'workspace:manage', 'view', {
    checkCoverageStore,
  }),
  endpoint(
    'GET',
    '/rest/workspaces/:workspace/coveragestores/:store/dependents',
    'workspace:manage',
    'view',
    { listCoverageStoreDependents },
  ),
]

/** Layers: what is published. */
const layerEndpoints = [
  endpoint('GET', '/rest/layers', 'public', 'view', { listLayers }),
  endpoint('GET', '/rest/workspaces/:workspace/layers', 'public', 'view', { listLayersOfWorkspace }),
  endpoint('GET', '/rest/layers/:layer', 'layer', 'view_metadata', { showLayer }),
  endpoint('PUT', '/rest/layers/:layer', 'layer:manage', 'change_metadata', { changeLayer }),
  endpoint('POST', '/rest/layers/:layer/styles', 'layer:manage', 'create', { makeStyleOfLayer }),
  endpoint('GET', '/rest/layers/:layer/classes', 'layer:read', 'view', { showClasses }),
  endpoint('POST', '/rest/layers/:layer/refresh', 'layer:manage', 'change_metadata', { refreshLayer }),
  endpoint('DELETE', '/rest/layers/:layer', 'layer:manage', 'remove', { deleteLayer }),
]

/** Previous versions of layers. */
const versionEndpoints = [
  endpoint('GET', '/rest/layers/:layer/versions', 'layer:read', 'view_metadata', { listVersions }),
  endpoint('GET', '/rest/layers/:layer/versions/:version', 'layer:read', 'view_metadata', { showVersion }),
  endpoint('PUT', '/rest/layers/:layer/versions/:version', 'layer:manage', 'change_metadata', {
    changeVersion,
  }),
  endpoint('DELETE', '/rest/layers/:layer/versions/:version', 'admin', 'remove', { removeVersion }),
  endpoint('GET', '/rest/layers/:layer/versions/:version/changes', 'layer:read', 'view', {
    listVersionChanges,
  }),
  endpoint('POST', '/rest/layers/:layer/versions/:version/restore', 'layer:manage', 'change', {
    restoreVersion,
  }),
]

/** Styles: global, and of one workspace. */
const styleEndpoints = [
  endpoint('GET', '/rest/palettes', 'user', 'view', { listPalettes }),
  endpoint('GET', '/rest/styles', 'user', 'view', { listStyles }),
  endpoint('POST', '/rest/styles', 'staff', 'create', { createStyle }),
  endpoint('GET', '/rest/styles/:style', 'style', 'view', { showStyle }),
  endpoint('PUT', '/rest/styles/:style', 'staff', 'change', { changeStyle }),
  endpoint('DELETE', '/rest/styles/:style', 'staff', 'remove', { deleteStyle }),
  endpoint('GET', '/rest/workspaces/:workspace/styles', 'workspace', 'view', { listStylesOfWorkspace }),
  endpoint('POST', '/rest/workspaces/:workspace/styles', 'workspace:manage', 'create', {
    createStyleOfWorkspace,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/styles/:style', 'style', 'view', { showStyleOfWorkspace }),
  endpoint('PUT', '/rest/workspaces/:workspace/styles/:style', 'workspace:manage', 'change', {
    changeStyleOfWorkspace,
  }),
  endpoint('DELETE', '/rest/workspaces/:workspace/styles/:style', 'workspace:manage', 'remove', {
    deleteStyleOfWorkspace,
  }),
]

/** The endpoints of the catalogue. */
export const catalogEndpoints = [
  ...workspaceEndpoints,
  ...storeEndpoints,
  ...inventoryEndpoints,
  ...layerEndpoints,
  ...versionEndpoints,
  ...styleEndpoints,
]

/** `/rest/workspaces` with their stores, and `/rest/layers`. */
export function catalogArea(deps: PublicAccessDeps & VersionDeps & ComparisonDeps & InventoryDeps): ApiArea {
  return (app) => {
    takeXmlDocuments(app)
    addEndpoints(app, workspaceEndpoints, deps)
    addEndpoints(app, storeEndpoints, deps)
    addEndpoints(app, inventoryEndpoints, deps)
    addEndpoints(app, layerEndpoints, deps)
    addEndpoints(app, versionEndpoints, deps)
  }
}

/** `/rest/styles`, and the styles of one workspace: their bodies may be documents. */
export function stylesArea(catalog: Catalog): ApiArea {
  return (app) => {
    for (const type of documentTypes)
      app.addContentTypeParser(type, { parseAs: 'string' }, async (request: FastifyRequest, body: string) =>
        readStyleText(request, body),
      )
    takeXmlDocuments(app)
    addEndpoints(app, styleEndpoints, { catalog })
  }
}
