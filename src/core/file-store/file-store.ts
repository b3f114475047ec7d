import type { Readable } from 'node:stream'
import { invalid } from '../errors/errors.ts'

/** A range of bytes; `start` and `end` are offsets, both inclusive. */
export interface FileRange {
  start: number
  end: number
}

/** An object of the store. */
export interface StoredObject {
  key: string
  sizeBytes: number
}

/** Options for writing an object. */
export interface PutOptions {
  signal?: AbortSignal
  mediaType?: string
}

/** A local copy, which exists at least until the caller calls `release`. */
export interface LocalFile {
  path: string
  release(): void
}

/** Name of a file for GDAL, and the environment in which GDAL can open it. */
export interface GdalPath {
  path: string
  env: Record<string, string>
}

/** Validity of a signed address, and name and type that the store responds with. */
export interface SignedUrlOptions {
  expiresSeconds: number
  fileName?: string
  mediaType?: string
}

/**
 * Stores files under keys. Keys are relative paths such as `imports/7/ab12…`. An object is written once under a
 * random key and never changed; the database decides which objects exist (`StoredFiles`). Failures of the store
 * are `Failure`s of the kind `unavailable`: `files-unavailable`, `file-missing`, `scratch-full`, `disk-full`.
 */
export interface FileStore {
  readonly kind: 'folder' | 's3'
  /** Writes an object. If it throws, no object is left, or one that `sweep` of `StoredFiles` removes. */
  put(key: string, source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<{ sizeBytes: number }>
  /** Reads an object or a part of it. The caller must read or destroy the stream. */
  get(key: string, options?: { range?: FileRange; signal?: AbortSignal }): Promise<Readable>
  /** Returns the size of an object; undefined if there is none. */
  findSize(key: string, signal?: AbortSignal): Promise<number | undefined>
  /** Returns a local path of the object, which is downloaded unless it is on this machine. */
  localPath(key: string, signal?: AbortSignal): Promise<LocalFile>
  gdalPath(key: string): GdalPath
  /** Returns an address that clients can read without credentials; undefined if the store has none. */
  signedUrl(key: string, options: SignedUrlOptions): Promise<string | undefined>
  /** Lists the objects whose keys start with `prefix`. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<StoredObject>
  /** Removes objects; missing ones are no error. */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<void>
  /** Writes, reads, lists and removes a small object. Throws an `Error` that names the setting to change. */
  check(signal?: AbortSignal): Promise<void>
  close(): void
}

const maxKeyBytes = 700
const step = /^[A-Za-z0-9_~@=+-][A-Za-z0-9_.~@=+-]*$/

/**
 * Throws `Failure` (`invalid-key`) unless a key is a relative path of plain names: no `..`, no empty or hidden
 * step, no control characters, at most 700 bytes.
 */
export function requireKey(key: string): string {
  const steps = key.split('/')
  if (key.length <= maxKeyBytes && steps.every((one) => step.test(one))) return key
  throw invalid(
    'invalid-key',
    'A key of a stored file is a relative path of letters, digits and . _ ~ @ = + -',
  )
}

/** Throws `Failure` (`invalid-key`) unless a text can start keys: empty, or a key with or without a slash. */
export function requireKeyPrefix(prefix: string): string {
  if (prefix !== '') requireKey(prefix.replace(/\/$/, ''))
  return prefix
}
