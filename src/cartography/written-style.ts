/** A document, and the parts of a style that it cannot express. */
export interface WrittenStyle {
  document: string
  lost: string[]
}
