import type { ApiArea, FastifyRequest } from '../../app-types.ts'
import { addEndpoints, endpoint } from '../../endpoint.ts'
import { tusVersion } from './tus.ts'
import type { UploadDeps } from './uploads.ts'
import {
  beginUpload,
  listUploads,
  removeUpload,
  showUpload,
  showUploadOptions,
  writeUpload,
} from './uploads.ts'

/** Files that come in pieces. */
export const uploadEndpoints = [
  endpoint('OPTIONS', '/rest/uploads', 'public', 'view', { showUploadOptions }),
  endpoint('GET', '/rest/uploads', 'staff', 'view', { listUploads }),
  endpoint('POST', '/rest/uploads', 'staff', 'upload', { beginUpload }),
  endpoint('GET', '/rest/uploads/:upload', 'staff', 'view', { showUpload }),
  endpoint('PATCH', '/rest/uploads/:upload', 'staff', 'upload', { writeUpload }),
  endpoint('DELETE', '/rest/uploads/:upload', 'staff', 'remove', { removeUpload }),
]

/** `/rest/uploads`: bodies are streamed, and every response names the tus version. */
export function uploadArea(uploads: UploadDeps['uploads']): ApiArea {
  return (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('tus-resumable', tusVersion)
    })
    addEndpoints(app, uploadEndpoints, { uploads })
  }
}
