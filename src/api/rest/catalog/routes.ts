import type { Catalog } from '../../../catalog/index.ts'
import type { ApiArea, FastifyRequest } from '../../app-types.ts'
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
import { documentTypes } from './style-documents.ts'
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
} from './workspaces.ts'

/** `/rest/workspaces` and, in each, its stores. */
const workspaceEndpoints = [
  endpoint('GET', '/rest/workspaces', 'user', 'view', { listWorkspaces }),
  endpoint('POST', '/rest/workspaces', 'staff', 'create', { createWorkspace }),
  endpoint('GET', '/rest/workspaces/default', 'user', 'view', { showDefaultWorkspace }),
  endpoint('PUT', '/rest/workspaces/default', 'staff', 'change', { changeDefaultWorkspace }),
  endpoint('GET', '/rest/workspaces/:workspace', 'workspace', 'view', { showWorkspace }),
  endpoint('PUT', '/rest/workspaces/:workspace', 'staff', 'change', { changeWorkspace }),
  endpoint('DELETE', '/rest/workspaces/:workspace', 'staff', 'remove', { deleteWorkspace }),
]

/** Stores: of features, and files of rasters. */
const storeEndpoints = [
  endpoint('GET', '/rest/workspaces/:workspace/datastores', 'user', 'view', { listDataStores }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores', 'staff', 'create', { createDataStore }),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store', 'staff', 'view', { showDataStore }),
  endpoint('PUT', '/rest/workspaces/:workspace/datastores/:store', 'staff', 'change', { changeDataStore }),
  endpoint('DELETE', '/rest/workspaces/:workspace/datastores/:store', 'staff', 'remove', { deleteDataStore }),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store/featuretypes', 'user', 'view', {
    listFeatureTypes,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores/:store/featuretypes', 'staff', 'create', {
    createFeatureType,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store/tables', 'staff', 'view', {
    listStoreTables,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores/:store/tables', 'staff', 'create', {
    publishTables,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores', 'user', 'view', { listCoverageStores }),
  endpoint('POST', '/rest/workspaces/:workspace/coveragestores', 'staff', 'create', { createCoverageStore }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores/:store', 'staff', 'view', {
    showCoverageStore,
  }),
  endpoint('PUT', '/rest/workspaces/:workspace/coveragestores/:store', 'staff', 'change', {
    changeCoverageStore,
  }),
  endpoint('DELETE', '/rest/workspaces/:workspace/coveragestores/:store', 'staff', 'remove', {
    deleteCoverageStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores/:store/coverages', 'user', 'view', {
    listCoverages,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/coveragestores/:store/coverages', 'staff', 'create', {
    createCoverage,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores/:store/rasters', 'staff', 'view', {
    listStoreRasters,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/coveragestores/:store/rasters', 'staff', 'create', {
    publishRasters,
  }),
]

/** Contents of workspaces and stores, dependents of a deletion, and checks of stores. */
const inventoryEndpoints = [
  endpoint('GET', '/rest/catalogue/workspaces', 'staff', 'view', {
    listCountedWorkspaces: listWorkspaceInventories,
  }),
  endpoint('GET', '/rest/catalogue/stores', 'staff', 'view', { listCountedStores: listStoreInventories }),
  endpoint('GET', '/rest/workspaces/:workspace/dependents', 'staff', 'view', { listWorkspaceDependents }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores/check', 'staff', 'view', { checkNewDataStore }),
  endpoint('POST', '/rest/workspaces/:workspace/datastores/:store/check', 'staff', 'view', {
    checkDataStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/datastores/:store/dependents', 'staff', 'view', {
    listDataStoreDependents,
  }),
  endpoint('POST', '/rest/workspaces/:workspace/coveragestores/:store/check', 'staff', 'view', {
    checkCoverageStore,
  }),
  endpoint('GET', '/rest/workspaces/:workspace/coveragestores/:store/dependents', 'staff', 'view', {
    listCoverageStoreDependents,
  }),
]

/** Layers: what is published. */
const layerEndpoints = [
  endpoint('GET', '/rest/layers', 'public', 'view', { listLayers }),
  endpoint('GET', '/rest/workspaces/:workspace/layers', 'public', 'view', { listLayersOfWorkspace }),
  endpoint('GET', '/rest/layers/:layer', 'layer', 'view_metadata', { showLayer }),
  endpoint('PUT', '/rest/layers/:layer', 'staff', 'change_metadata', { changeLayer }),
  endpoint('POST', '/rest/layers/:layer/styles', 'staff', 'create', { makeStyleOfLayer }),
  endpoint('GET', '/rest/layers/:layer/classes', 'user', 'view', { showClasses }),
  endpoint('POST', '/rest/layers/:layer/refresh', 'staff', 'change_metadata', { refreshLayer }),
  endpoint('DELETE', '/rest/layers/:layer', 'staff', 'remove', { deleteLayer }),
]

/** Previous versions of layers. */
const versionEndpoints = [
  endpoint('GET', '/rest/layers/:layer/versions', 'user', 'view_metadata', { listVersions }),
  endpoint('GET', '/rest/layers/:layer/versions/:version', 'user', 'view_metadata', { showVersion }),
  endpoint('PUT', '/rest/layers/:layer/versions/:version', 'staff', 'change_metadata', { changeVersion }),
  endpoint('DELETE', '/rest/layers/:layer/versions/:version', 'admin', 'remove', { removeVersion }),
  endpoint('GET', '/rest/layers/:layer/versions/:version/changes', 'user', 'view', { listVersionChanges }),
  endpoint('POST', '/rest/layers/:layer/versions/:version/restore', 'staff', 'change', { restoreVersion }),
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
  endpoint('POST', '/rest/workspaces/:workspace/styles', 'staff', 'create', { createStyleOfWorkspace }),
  endpoint('GET', '/rest/workspaces/:workspace/styles/:style', 'style', 'view', { showStyleOfWorkspace }),
  endpoint('PUT', '/rest/workspaces/:workspace/styles/:style', 'staff', 'change', { changeStyleOfWorkspace }),
  endpoint('DELETE', '/rest/workspaces/:workspace/styles/:style', 'staff', 'remove', {
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
      app.addContentTypeParser(
        type,
        { parseAs: 'string' },
        async (_request: FastifyRequest, body: string) => body,
      )
    addEndpoints(app, styleEndpoints, { catalog })
  }
}
