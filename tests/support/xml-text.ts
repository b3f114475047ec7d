/** A KML document around elements. */
export function kmlText(...elements: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>
${elements.join('\n')}
</Document></kml>
`
}

export function placemark(...elements: string[]): string {
  return `<Placemark>${elements.join('')}</Placemark>`
}

export function kmlPoint(coordinates: string): string {
  return `<Point><coordinates>${coordinates}</coordinates></Point>`
}

/** A GPX 1.1 document around elements. */
export function gpxText(...elements: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
${elements.join('\n')}
</gpx>
`
}
