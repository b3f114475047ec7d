import type { Readable } from 'node:stream'
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { invalid } from '../../../core/errors/errors.ts'
import { toFault } from '../faults.ts'
import { checkedAgent } from '../http-connection.ts'
import type { RemoteLocation } from '../location.ts'
import { withPath } from '../location.ts'
import type { RemoteProtocol, SessionOptions } from '../protocol.ts'
import type { ListOptions, ReadFrom, RemoteBody, RemoteEntry, RemoteSession } from '../remote.ts'
import { RemoteFault } from '../remote.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

/** Sets options that the SDK would otherwise read from the environment and home directory of this process. */
function clientOptions({ guard, authorities, credentials, s3 }: SessionOptions) {
  const { username, password = '' } = credentials
  return {
    region: s3.region,
    ...(s3.endpoint === undefined ? {} : { endpoint: s3.endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: username ?? 'none', secretAccessKey: password },
    signer: username === undefined ? { sign: async <T>(request: T): Promise<T> => request } : undefined,
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard' as const,
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    ignoreConfiguredEndpointUrls: true,
    followRegionRedirects: true,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    requestHandler: {
      httpAgent: checkedAgent(false, guard, authorities),
      httpsAgent: checkedAgent(true, guard, authorities),
    },
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
}

function s3Fault(error: unknown): Error {
  const status = statusOf(error)
  if (status === undefined) return toFault(error)
  const { name, message } = error as Error
  const output = message === '' || message === 'UnknownError' ? name : `${name}: ${message}`
  return new RemoteFault(`the server answers ${status} ${output}`, {
    isPassing: status >= 500 || status === 429,
  })
}

/** Reads objects of a bucket, with or without an access key. */
class S3Session implements RemoteSession {
  readonly #sdk: Sdk
  readonly #client: S3Client

  private constructor(sdk: Sdk, client: S3Client) {
    this.#sdk = sdk
    this.#client = client
  }

  static async open(options: SessionOptions): Promise<S3Session> {
    const sdk = await import('@aws-sdk/client-s3')
    return new S3Session(sdk, new sdk.S3Client(clientOptions(options)))
  }

  async read(location: RemoteLocation, from: ReadFrom, signal: AbortSignal): Promise<RemoteBody> {
    const { offset, version } = from
    if (location.path === '') throw new RemoteFault('it contains no object name', { isPassing: false })
    let reply: GetObjectCommandOutput
    try {
      reply = await this.#get(location, from, signal)
    } catch (error) {
      signal.throwIfAborted()
      const hasChanged = version !== undefined && [412, 416].includes(statusOf(error) ?? 0)
      if (hasChanged) return this.read(location, { offset: 0 }, signal)
      throw s3Fault(error)
    }
    const length = reply.ContentLength
    return {
      chunks: reply.Body as Readable,
      offset: reply.ContentRange === undefined ? 0 : offset,
      totalBytes: length === undefined ? undefined : length + (reply.ContentRange === undefined ? 0 : offset),
      version: reply.ETag,
    }
  }

  async list(location: RemoteLocation, options: ListOptions): Promise<RemoteEntry[] | undefined> {
    const { host: Bucket, path: Prefix } = location
    const { maxEntries, signal, touch } = options
    if (Prefix !== '' && !Prefix.endsWith('/')) return undefined
    const entries: RemoteEntry[] = []
    let token: string | undefined
    do {
      const page = new this.#sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: token })
      const reply = await this.#client.send(page, { abortSignal: signal }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw s3Fault(error)
      })
      touch()
      const objects = (reply.Contents ?? []).filter(({ Key = '/' }) => !Key.endsWith('/'))
      for (const { Key: key = '', ETag: version } of objects) {
        const path = key.split('/').map(encodeURIComponent).join('/')
        entries.push({
          name: key.slice(Prefix.length),
          location: withPath(location, () => `/${path}`),
          version,
        })
      }
      if (entries.length > maxEntries) {
        throw invalid(
          'too-many-entries',
          `The bucket contains more than ${maxEntries} objects under this prefix`,
        )
      }
      token = objects.length === 0 ? undefined : reply.NextContinuationToken
    } while (token !== undefined)
    return entries
  }

  close(): void {
    this.#client.destroy()
  }

  #get(location: RemoteLocation, { offset, version }: ReadFrom, signal: AbortSignal) {
    const { host: Bucket, path: Key } = location
    const part = version === undefined ? {} : { Range: `bytes=${offset}-`, IfMatch: version }
    return this.#client.send(new this.#sdk.GetObjectCommand({ Bucket, Key, ...part }), {
      abortSignal: signal,
    })
  }
}

/** Buckets of Amazon S3 and compatible services. */
export const s3: RemoteProtocol = {
  ports: { s3: 443 },
  namesBuckets: true,
  open: (_location, options) => S3Session.open(options),
}
