/** A document, and what of a style it does not say. */
export interface WrittenStyle {
  document: string
  lost: string[]
}
