import { endpoint } from '../../endpoint.ts'
import { createExport, readDownload, removeDownload, showDownload } from './downloads.ts'

/** `/rest/layers/<layer>/exports` and `/rest/downloads`. */
export const downloadEndpoints = [
  endpoint('POST', '/rest/layers/:layer/exports', 'layer:download', 'create', { createExport }),
  endpoint('GET', '/rest/downloads/:id', 'public', 'view', { showDownload }),
  endpoint('GET', '/rest/downloads/:id/file', 'public', 'download', { readDownload }),
  endpoint('DELETE', '/rest/downloads/:id', 'public', 'remove', { removeDownload }),
]
