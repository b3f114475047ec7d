import { endpoint } from '../endpoint.ts'
import { findLayers } from './layer-list.ts'
import { showState } from './state.ts'

/** What pages that show many things at once are made of. */
export const layerListEndpoints = [
  endpoint('GET', '/rest/catalogue/layers', 'public', 'view', { findLayers }),
]

export const stateEndpoints = [endpoint('GET', '/rest/state', 'public', 'view', { showState })]
