import { endpoint } from '../../endpoint.ts'
import { createOgcStyle, deleteOgcStyle, replaceOgcStyle } from './change-styles.ts'
import { getCollectionStyles, getOgcStyle, getOgcStyleMetadata, getOgcStyles } from './styles.ts'

const styles = '/ogc/styles'
const style = `${styles}/:styleId`

/** Draft of OGC API Styles; the handlers decide about rights, since an id may name a workspace. */
export const styleEndpoints = [
  endpoint('GET', styles, 'public', 'view', { getOgcStyles }),
  endpoint('POST', styles, 'public', 'create', { createOgcStyle }),
  endpoint('GET', style, 'public', 'view', { getOgcStyle }),
  endpoint('PUT', style, 'public', 'change', { replaceOgcStyle }),
  endpoint('DELETE', style, 'public', 'remove', { deleteOgcStyle }),
  endpoint('GET', `${style}/metadata`, 'public', 'view', { getOgcStyleMetadata }),
  endpoint('GET', '/ogc/collections/:collectionId/styles', 'public', 'OWS:WMS', { getCollectionStyles }),
]
