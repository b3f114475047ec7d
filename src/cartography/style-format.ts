/** What style documents are written in. */
export const styleFormats = ['maplibre', 'sld', 'qml'] as const
/** One of `styleFormats`. */
export type StyleFormat = (typeof styleFormats)[number]
