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
  endpoint('GET', '/rest/uploads', 'some:import', 'view', { listUploads }),
  endpoint('POST', '/rest/uploads', 'some:import', 'upload', { beginUpload }),
  endpoint('GET', '/rest/uploads/:upload', 'some:import', 'view', { showUpload }),
  endpoint('PATCH', '/rest/uploads/:upload', 'some:import', 'upload', { writeUpload }),
  endpoint('DELETE', '/rest/uploads/:upload', 'some:import', 'remove', { removeUpload }),
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
