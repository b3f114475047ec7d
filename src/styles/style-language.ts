import type { WrittenStyle } from './losses.ts'
import type { Style } from './model.ts'

/** Language of style documents. */
export interface StyleLanguage {
  /** Name in the API and the database, which must never change. */
  format: string
  /** Name for users. */
  title: string
  /** Media types of its documents, the one of responses first. */
  mediaTypes: readonly [string, ...string[]]
  /** File name extensions, the one of downloads first. Requests may name the language by each of them. */
  extensions: readonly [string, ...string[]]
  /** Throws `Failure` (`invalid-style`) if a document is obviously not in the language. */
  check(document: string): void
  /** Returns undefined if nothing can be drawn. Throws `Failure` (`invalid-style`) for an invalid document. */
  read(document: string): Style | undefined
  /** Returns undefined if there is no document for the style. */
  write(style: Style, name: string): WrittenStyle | undefined
}
