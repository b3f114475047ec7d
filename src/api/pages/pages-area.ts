import { notFound } from '../../core/errors/errors.ts'
import { chooseEncoding } from '../accepted-encodings.ts'
import type { ApiArea, App, FastifyReply, FastifyRequest } from '../app-types.ts'
import type { BuiltPages } from './built-pages.ts'
import { pagePolicy, sendDocument } from './page-document.ts'

/** File names change with what is in the files. */
const forever = 'public, max-age=31536000, immutable'
const config = { access: 'public', countsAs: 'unrecorded' } as const
const schema = { hide: true }

/** The pages for people, `/app`, the map that others frame, `/embed/map`, and the files that they load, `/assets`. */
export function pagesArea(pages: BuiltPages): ApiArea {
  return (app: App) => {
    const showIn =
      (frames: { mayBeFramed: boolean }) =>
      (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
        const entry = pages.entry('main')
        if (entry === undefined) throw notBuilt()
        return sendDocument(request, reply, entry, pages, frames)
      }
    const show = showIn({ mayBeFramed: false })
    app.get('/app', { config, schema }, show)
    app.get('/app/*', { config, schema }, show)
    app.get('/embed/map', { config, schema }, showIn({ mayBeFramed: true }))
    app.get<{ Params: { name: string } }>('/assets/:name', { config, schema }, (request, reply) =>
      sendFile(pages, request, reply, pagePolicy(pages.mapOrigin)),
    )
  }
}

async function sendFile(
  pages: BuiltPages,
  request: FastifyRequest<{ Params: { name: string } }>,
  reply: FastifyReply,
  policy: string,
): Promise<FastifyReply> {
  const { name } = request.params
  const encoding = chooseEncoding(['br', 'gzip'], request.headers['accept-encoding'])
  const file = await pages.file(name, encoding)
  if (file === undefined) throw notFound('unknown-file', `The pages have no file "${name}"`)
  if (file.encoding !== undefined) reply.header('content-encoding', file.encoding)
  return reply
    .headers({
      'cache-control': forever,
      'content-type': file.mediaType,
      vary: 'Accept-Encoding',
      // A worker uses the policy of its own script.
      'content-security-policy': policy,
    })
    .send(Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength))
}

function notBuilt(): Error {
  return notFound('no-pages', 'The pages are not built: run "npm run setup" and start the server again')
}
