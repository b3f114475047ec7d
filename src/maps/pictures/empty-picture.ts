import type { PictureFormat } from './encode-picture.ts'

/** Pictures of transparent cells alone, by format and width. */
const files: Record<PictureFormat, Record<256 | 512, string>> = {
  png: {
    256: 'iVBORw0KGgoAAAANSUhEUgAAAQAAAAEAAQMAAABmvDolAAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAAB9JREFUeNrtwQENAAAAwqD3T20ON6AAAAAAAAAAAL4NIQAAAWDknZcAAAAASUVORK5CYII=',
    512: 'iVBORw0KGgoAAAANSUhEUgAAAgAAAAIAAQMAAADOtka5AAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAADZJREFUeNrtwQEBAAAAgiD/r25IQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAfBuCAAABY3VQpAAAAABJRU5ErkJggg==',
  },
  webp: {
    256: 'UklGRiIAAABXRUJQVlA4TBUAAAAv/8A/EAcQEREAUKT//ymi/6n//QcA',
    512: 'UklGRiwAAABXRUJQVlA4TB8AAAAv/8F/EAcQEREQCCT7e89QRP8z/vOf//znP//5z/8BAA==',
  },
}

/**
 * Returns a transparent picture for a tile that shows nothing. A tile without content would be wrong: OpenLayers and others
 * then draw the enlarged tile of the zoom level above.
 */
export function emptyPicture(format: PictureFormat, width: 256 | 512): Buffer {
  return Buffer.from(files[format][width], 'base64')
}
