import { endpoint } from '../../endpoint.ts'
import { findLayers } from './layer-list.ts'
import { showState } from './state.ts'

/** Endpoints of pages that show many things at once. */
export const layerListEndpoints = [
  endpoint('GET', '/rest/catalogue/layers', 'public', 'view', { findLayers }),
]

export const stateEndpoints = [endpoint('GET', '/rest/state', 'public', 'view', { showState })]
