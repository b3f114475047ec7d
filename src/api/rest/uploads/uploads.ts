import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Quotas } from '../../../catalog/index.ts'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { UploadState, Uploads } from '../../../importer/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes, empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireTargetWorkspace } from '../importer/import-rights.ts'
import { safeFolder, safeUploadName } from '../importer/receive-upload.ts'
import { bytesIn, metadataIn, pieceType, requireTus, tusExtensions, tusVersion } from './tus.ts'

/** Dependencies of resumable uploads. */
export interface UploadDeps {
  uploads: Pick<Uploads, 'create' | 'get' | 'list' | 'write' | 'remove' | 'maxBytes'>
  quotas: Pick<Quotas, 'require'>
}

const tags = ['importer']
const longestTime = 40
const params = Type.Object({ upload: Type.String({ description: 'Id of an upload' }) })
const Upload = Type.Object({
  id: Type.String(),
  name: Type.String(),
  folder: Type.Optional(Type.String({ description: 'Folder path of the file in the upload, as `a/b`' })),
  modified: Type.Optional(
    Type.String({ description: 'Time of the last change of the file, according to the client' }),
  ),
  offset: Type.Integer({ description: 'Bytes received so far' }),
  length: Type.Integer(),
  created: Type.String(),
  expires: Type.String({ description: 'A day after its last change' }),
  href: Type.String(),
})

const basics =
  'tus 1.0 (https://tus.io) with creation, creation-with-upload, expiration and termination. Uploads are visible only to the user who started them.'

export const showUploadOptions = operation({
  summary: 'Describe the supported tus protocol in headers',
  tags,
  description: basics,
  answers: { 204: empty() },
  handle: ({ uploads }: UploadDeps, _request, reply) =>
    reply
      .code(204)
      .headers({
        'tus-version': tusVersion,
        'tus-extension': tusExtensions,
        'tus-max-size': uploads.maxBytes,
      })
      .send(),
})

export const listUploads = operation({
  summary: 'List your uploads that are not imported yet',
  description: 'Resumable uploads of the caller that are not imported yet, with offset, length and expiry.',
  tags,
  answers: { 200: Type.Object({ uploads: Type.Array(Upload) }) },
  handle: async ({ uploads }: UploadDeps, request) => {
    const found = await uploads.list(ownerOf(request))
    return { uploads: found.map((one) => toUploadResponse(request, one)) }
  },
})

export const beginUpload = operation({
  summary: 'Begin a resumable upload',
  tags,
  description: `${basics} \`Upload-Length\` tells the size, \`filename\` in \`Upload-Metadata\` the name, \`relativePath\` its path in a folder that is sent whole, \`lastModified\` the time of its last change, \`workspace\` where it is going to be imported, whose limits are then checked at once. A body is the first piece.`,
  consumes: [pieceType],
  reported: { body: Bytes },
  bodyLimit: ({ uploads }: UploadDeps) => uploads.maxBytes,
  answers: { 201: empty('`Location` contains its URL') },
  handle: async ({ uploads, quotas }: UploadDeps, request, reply) => {
    requireTus(request, reply)
    const lengthBytes = bytesIn(request, 'upload-length')
    if (lengthBytes === undefined)
      throw invalid('invalid-header', 'upload-length must be the size of the file in bytes')
    const reported = metadataIn(request)
    const name = safeUploadName(reported.get('filename') ?? '')
    const folder = safeFolder(reported.get('relativepath') ?? '')
    const modified = reported.get('lastmodified')?.slice(0, longestTime)
    const owner = ownerOf(request)
    const workspace = reported.get('workspace')
    if (workspace !== undefined) {
      await requireTargetWorkspace(request, workspace)
      await quotas.require(workspace, { bytes: lengthBytes })
    }
    const begun = await uploads.create({ owner, name, lengthBytes, folder, modified })
    reply.header('location', request.link(pathOf(begun)))
    const { body }: { body?: unknown } = request
    const state =
      body === undefined || body === null
        ? begun
        : await uploads.write(begun.record.id, owner, { offset: 0, source: body as Readable })
    return withOffset(reply, state).code(201).send()
  },
})

export const showUpload = operation({
  summary: 'Show the progress of an upload; HEAD returns it in headers',
  description: '`Upload-Offset` is the number of received bytes: the next piece begins there.',
  tags,
  params,
  handlesHead: true,
  answers: { 200: Type.Object({ upload: Upload }) },
  handle: async ({ uploads }: UploadDeps, request, reply) => {
    requireTus(request, reply)
    const state = await uploads.get(request.params.upload, ownerOf(request))
    const { name, lengthBytes } = state.record
    withOffset(reply, state).headers({
      'upload-length': lengthBytes,
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
      'cache-control': 'no-store',
    })
    return request.method === 'HEAD' ? reply.send() : { upload: toUploadResponse(request, state) }
  },
})

export const writeUpload = operation({
  summary: 'Send the next piece of an upload',
  tags,
  description:
    'The piece begins at `Upload-Offset`, the current end of the upload. Of two concurrent requests one is rejected.',
  params,
  consumes: [pieceType],
  reported: { body: Bytes },
  bodyLimit: ({ uploads }: UploadDeps) => uploads.maxBytes,
  answers: { 204: empty() },
  handle: async ({ uploads }: UploadDeps, request, reply) => {
    requireTus(request, reply)
    const owner = ownerOf(request)
    const { upload } = request.params
    await uploads.get(upload, owner)
    if (request.headers['content-type'] !== pieceType)
      throw new Failure('mediaType', 'unsupported-media-type', `A piece of an upload is ${pieceType}`)
    const offset = bytesIn(request, 'upload-offset')
    if (offset === undefined)
      throw invalid('invalid-header', 'upload-offset must be the offset of the piece in bytes')
    const { body }: { body?: unknown } = request
    if (body === undefined || body === null) throw invalid('no-file', 'The upload has no body')
    const state = await uploads.write(upload, owner, { offset, source: body as Readable })
    return withOffset(reply, state).code(204).send()
  },
})

export const removeUpload = operation({
  summary: 'Delete an upload',
  description: 'Deletes the received bytes. An import that already uses the upload keeps its copy.',
  tags,
  params,
  answers: { 204: empty() },
  handle: async ({ uploads }: UploadDeps, request, reply) => {
    requireTus(request, reply)
    await uploads.remove(request.params.upload, ownerOf(request))
    return reply.code(204).send()
  },
})

/** Users who may upload have a name. */
function ownerOf({ caller }: FastifyRequest): string {
  return caller.name ?? ''
}

function pathOf({ record }: UploadState): string {
  return `/rest/uploads/${record.id}`
}

function withOffset(reply: FastifyReply, { offset, expiresAt }: UploadState): FastifyReply {
  return reply.headers({ 'upload-offset': offset, 'upload-expires': new Date(expiresAt).toUTCString() })
}

function toUploadResponse(request: FastifyRequest, state: UploadState) {
  const { record, offset, expiresAt: expires } = state
  const { id, name, folder, modified, lengthBytes: length, createdAt: created } = record
  const where = { folder, modified }
  return { id, name, ...where, offset, length, created, expires, href: request.link(pathOf(state)) }
}
