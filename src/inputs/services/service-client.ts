import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, invalid } from '../../core/errors/errors.ts'
import { withoutSecrets } from '../../core/secrets/without-secrets.ts'
import { reasonOf } from '../remote/faults.ts'
import { parseLocation } from '../remote/parse-location.ts'
import { findProtocol } from '../remote/registry.ts'
import type { RemoteSession } from '../remote/remote.ts'
import { RemoteFault } from '../remote/remote.ts'
import type { ServiceReadOptions } from './service.ts'

/** Minimum time between the starts of two requests, in milliseconds. */
const pauseMs = 50
const mostPageBytes = 256 << 20
const mostWaitSeconds = 300
/** Maximum age of reused pages of an interrupted read, in milliseconds. */
const reusedMs = 3_600_000
const mostPages = 200_000

/** Returns the failure of a service; another attempt may succeed. */
export function serviceFailure(message: string): Failure {
  return invalid('service-failed', message)
}

/** A response of a service. */
export interface ServicePage {
  url: string
  text: string
}

/**
 * Requests pages of a service sequentially, with a pause between requests, through checked connections. Waits
 * as long as a busy service requests. Pages are stored, so that an interrupted read continues.
 */
export class ServiceClient {
  readonly #origin: string
  readonly #options: ServiceReadOptions
  readonly #signal: AbortSignal
  #session: RemoteSession | undefined
  #bytes = 0
  #lastStart = 0
  #pages = 0
  readonly #urls = new Set<string>()
  #lastDigest = ''

  constructor(location: string, options: ServiceReadOptions) {
    this.#origin = new URL(location).origin
    this.#options = options
    this.#signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.access.limits.totalMs)])
  }

  /** Creates the folder for pages and features. */
  async prepare(): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 })
  }

  /** Requests a document that describes the service. */
  async describe(url: URL): Promise<string> {
    return this.#get(url)
  }

  /** Requests the next page, or takes it from an interrupted read. Throws `Failure` if pages repeat. */
  async page(url: URL): Promise<ServicePage> {
    const { folder } = this.#options
    if (this.#urls.has(url.href))
      throw serviceFailure(
        `The service repeats a page: ${url.href} is linked twice, so that paging never ends`,
      )
    this.#urls.add(url.href)
    this.#pages += 1
    if (this.#pages > mostPages) throw serviceFailure(`The service has more than ${mostPages} pages`)
    const path = join(folder, `page-${this.#pages}.txt`)
    const stored = await readStored(path, url.href)
    const text = stored ?? (await this.#get(url))
    const digest = createHash('sha256').update(text).digest('hex')
    if (digest === this.#lastDigest)
      throw serviceFailure(`The service answers two pages with the same features: ${url.href}`)
    this.#lastDigest = digest
    if (stored === undefined) {
      await writeFile(`${path}.part`, `${url.href}\n${text}`, { mode: 0o600 })
      await rename(`${path}.part`, path)
    }
    return { url: url.href, text }
  }

  close(): void {
    this.#session?.close()
    this.#session = undefined
  }

  async #get(url: URL): Promise<string> {
    const { limits } = this.#options.access
    if (url.origin !== this.#origin)
      throw serviceFailure(`The service links to another server, which is not followed: ${url.origin}`)
    for (let failed = 1; ; failed += 1) {
      try {
        return await this.#attempt(url)
      } catch (error) {
        this.close()
        this.#options.signal.throwIfAborted()
        if (error instanceof Failure) throw error
        const isLast = !(error instanceof RemoteFault && error.isPassing) || failed >= limits.tries
        if (isLast || this.#signal.aborted) throw this.#toFailure(error, url)
        const requested = error.retryAfterSeconds ?? 0
        if (requested > mostWaitSeconds) throw this.#toFailure(error, url)
        await sleep(Math.max(requested * 1000, limits.retryMs * 2 ** (failed - 1)), undefined, {
          signal: this.#options.signal,
        })
      }
    }
  }

  async #attempt(url: URL): Promise<string> {
    const { access, credentials } = this.#options
    const wait = this.#lastStart + pauseMs - performance.now()
    if (wait > 0) await sleep(wait, undefined, { signal: this.#options.signal })
    this.#lastStart = performance.now()
    const { location } = parseLocation(url.href)
    const stall = new AbortController()
    const timer = setTimeout(
      () => stall.abort(new RemoteFault('nothing came for too long', { isPassing: true })),
      access.limits.stallMs,
    )
    const signal = AbortSignal.any([this.#signal, stall.signal])
    try {
      this.#session ??= await findProtocol(location.scheme).open(location, { ...access, credentials }, signal)
      const body = await this.#session.read(location, { offset: 0 }, signal)
      const chunks: Buffer[] = []
      let bytes = 0
      for await (const chunk of body.chunks as AsyncIterable<Buffer>) {
        timer.refresh()
        bytes += chunk.length
        this.#count(chunk.length, bytes)
        chunks.push(chunk)
      }
      signal.throwIfAborted()
      if (body.totalBytes !== undefined && body.totalBytes !== bytes)
        throw new RemoteFault(`${bytes} of ${body.totalBytes} bytes came`, { isPassing: true })
      return this.#checked(Buffer.concat(chunks).toString('utf8'), url)
    } catch (error) {
      throw stall.signal.aborted ? stall.signal.reason : error
    } finally {
      clearTimeout(timer)
    }
  }

  #count(bytes: number, pageBytes: number): void {
    this.#bytes += bytes
    const { maxBytes } = this.#options.access.limits
    if (pageBytes > mostPageBytes || this.#bytes > maxBytes)
      throw invalid(
        'remote-too-large',
        `The service sends more than the ${maxBytes} bytes that TERRANE_MAX_UPLOAD allows`,
      )
  }

  #checked(text: string, url: URL): string {
    if (!/^\s*(<!doctype html|<html)/i.test(text)) return text
    throw serviceFailure(`The service answers an HTML page instead of data: ${url.href}. Check its address`)
  }

  #toFailure(error: unknown, url: URL): Failure {
    const { credentials } = this.#options
    const reason = withoutSecrets(reasonOf(error), credentials, { mask: '********' })
    return serviceFailure(`${url.origin}${url.pathname}: ${reason}`)
  }
}

async function readStored(path: string, url: string): Promise<string | undefined> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined || Date.now() - status.mtimeMs > reusedMs) return undefined
  const text = await readFile(path, 'utf8')
  return text.startsWith(`${url}\n`) ? text.slice(url.length + 1) : undefined
}
