/** Formats of style documents. */
export const styleFormats = ['maplibre', 'sld', 'qml'] as const
/** One of `styleFormats`. */
export type StyleFormat = (typeof styleFormats)[number]
