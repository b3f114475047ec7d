import type { DefinitionBounds } from '../model/model.ts'

/** Parts of a threshold's scope: each is a separate field whose name begins with the threshold's. */
export const scopeParts = [
  { part: 'service', caption: 'service', isUsed: (bounds: DefinitionBounds) => bounds.usesService },
  { part: 'resource', caption: 'resource', isUsed: (bounds: DefinitionBounds) => bounds.usesResource },
  { part: 'label', caption: 'label', isUsed: (bounds: DefinitionBounds) => bounds.usesLabel },
  {
    part: 'ows_service',
    caption: 'OWS service',
    isUsed: (bounds: DefinitionBounds) => bounds.usesOwsService,
  },
] as const
/** As it ends the name of a field. */
export type ScopePart = (typeof scopeParts)[number]['part']
