# Does with QGIS, without a window, what the lines of standard input ask for: one JSON object a line, answered by one line.
import json
import sys

from qgis.core import (
    NULL, QgsApplication, QgsAuthMethodConfig, QgsCategorizedSymbolRenderer, QgsCoordinateReferenceSystem,
    QgsCoordinateTransform, QgsFeature, QgsFeatureRequest, QgsFillSymbol, QgsGeometry, QgsMapRendererParallelJob, QgsMapSettings, QgsPointXY, QgsProject, QgsRasterLayer,
    QgsRectangle, QgsRendererCategory, QgsVectorLayer, QgsVectorTileBasicRenderer, QgsVectorTileLayer, QgsWkbTypes)
from qgis.gui import QgsMapCanvas, QgsMapToolIdentify
from qgis.PyQt.QtCore import QSize, Qt
from qgis.PyQt.QtGui import QColor

mercator = QgsCoordinateReferenceSystem('EPSG:3857')


def plain_renderer():
    """Everything in one blue, polygons without an outline."""
    blue = QColor('#4477aa')
    styles = QgsVectorTileBasicRenderer.simpleStyle(blue, blue, 0, blue, 0.6, blue, blue, 1.5)
    for style in styles:
        if style.geometryType() == QgsWkbTypes.PolygonGeometry:
            style.symbol().symbolLayer(0).setStrokeStyle(Qt.NoPen)
    renderer = QgsVectorTileBasicRenderer()
    renderer.setStyles(styles)
    return renderer


def open_layer(wish):
    kind, uri = wish['kind'], wish['uri']
    if kind == 'tiles':
        layer = QgsVectorTileLayer(uri, 'layer')
        if 'styleUrl=' in uri:
            message, is_loaded = layer.loadDefaultStyle()
            if not is_loaded:
                raise ValueError('style: ' + message)
        else:
            layer.setRenderer(plain_renderer())
    elif kind == 'picture':
        layer = QgsRasterLayer(uri, 'layer', 'wms')
    elif kind == 'coverage':
        layer = QgsRasterLayer(uri, 'layer', 'wcs')
    else:
        layer = QgsVectorLayer(uri, 'layer', kind)
    if not layer.isValid():
        raise ValueError('not valid: ' + uri + ' ' + layer.error().message())
    return layer


def identify(wish):
    """What a click with a rectangle tells: every feature of the tiles that are shown at this size."""
    layer = open_layer(wish)
    canvas = QgsMapCanvas()
    canvas.resize(512, 512)
    canvas.setDestinationCrs(mercator)
    QgsProject.instance().addMapLayer(layer)
    canvas.setLayers([layer])
    extent = QgsRectangle(*wish['extent'])
    canvas.setExtent(extent)
    tool = QgsMapToolIdentify(canvas)
    found = tool.identify(QgsGeometry.fromRect(extent), QgsMapToolIdentify.TopDownAll, [layer], QgsMapToolIdentify.AllLayers)
    return layer, [one.mFeature for one in found]


def identify_points(wish):
    """Returns the values of a column at clicks on a layer, in the CRS of the map and with a search radius of almost 0."""
    # In memory: OGR would parse a GeoJSON file again for each click.
    layer = open_layer(wish).materialize(QgsFeatureRequest())
    canvas = QgsMapCanvas()
    canvas.resize(512, 512)
    canvas.setDestinationCrs(QgsCoordinateReferenceSystem(wish['crs']))
    QgsProject.instance().addMapLayer(layer)
    canvas.setLayers([layer])
    canvas.setExtent(QgsRectangle(*wish['extent']))
    tool = QgsMapToolIdentify(canvas)
    tool.setCanvasPropertiesOverrides(canvas.extent().width() * 1e-9)
    mode = QgsMapToolIdentify.TopDownAll
    told = []
    for x, y in wish['points']:
        found = tool.identify(QgsGeometry.fromPointXY(QgsPointXY(x, y)), mode, [layer], QgsMapToolIdentify.VectorLayer)
        told.append(sorted(one.mFeature[wish['name']] for one in found))
    return {'names': told}


def values_of(feature, names):
    """Values as texts; a whole number is the same whether it is an integer or not, and nothing is nothing."""
    values = [feature[name] if feature.fields().indexOf(name) >= 0 else None for name in names]
    values = ['' if value in (None, NULL) else value for value in values]
    return [str(int(value) if isinstance(value, float) and value.is_integer() else value) for value in values]


def read_tiles(wish):
    _, features = identify(wish)
    return {'ids': [one.id() for one in features], 'rows': [values_of(one, wish['names']) for one in features]}


def name_of(feature, key):
    return str(feature[key]) if key else 'all'


def compare_shapes(wish):
    """How far features in tiles are from those of a file: pieces of tiles are joined, both are cut to the extent."""
    _, features = identify(wish)
    extent = QgsGeometry.fromRect(QgsRectangle(*wish['extent']))
    source = QgsVectorLayer(wish['source'], 'source', 'ogr')
    transform = QgsCoordinateTransform(source.crs(), mercator, QgsProject.instance())
    key = wish['key']
    expected, pieces = {}, {}
    for feature in source.getFeatures():
        shape = feature.geometry()
        shape.transform(transform)
        shape = shape.makeValid().intersection(extent)
        if not shape.isEmpty():
            expected.setdefault(name_of(feature, key), []).append(shape)
    for feature in features:
        pieces.setdefault(name_of(feature, key), []).append(feature.geometry().makeValid())
    unit = wish['unit']
    far = []
    for name, shapes in expected.items():
        truth = QgsGeometry.unaryUnion(shapes)
        shown = QgsGeometry.unaryUnion(pieces.get(name, [])).intersection(extent)
        for part, whole in ((truth, shown), (shown, truth)):
            left = part.difference(whole.buffer(unit, 8))
            # An island that is smaller than a unit of the tile may be left out of it.
            pieces_left = [one for one in left.asGeometryCollection() if one.area() > unit ** 2 or (one.area() == 0 and one.length() > 0)]
            far += [[name, piece.area() / unit ** 2, piece.length() / unit, part is truth] for piece in pieces_left]
    return {'expected': sorted(expected), 'shown': sorted(pieces), 'far': far}


def draw_layers(layers, extent, to):
    settings = QgsMapSettings()
    settings.setLayers(layers)
    settings.setOutputSize(QSize(512, 512))
    settings.setDestinationCrs(mercator)
    settings.setExtent(QgsRectangle(*extent))
    settings.setBackgroundColor(QColor('white'))
    settings.setFlag(QgsMapSettings.Antialiasing, True)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    job.renderedImage().save(to)
    return [error.message for error in job.errors()]


def draw(wish):
    layers = [open_layer(one) for one in wish['layers']]
    return {'errors': draw_layers(layers, wish['extent'], wish['to'])}


def read_features(wish):
    layer = open_layer(wish)
    rows = [values_of(feature, wish['names']) for feature in layer.getFeatures()]
    return {'count': layer.featureCount(), 'rows': rows}


def read_coverage(wish):
    """The cells of a coverage as its provider gives them on a grid, band by band; nothing where there is no data."""
    layer = open_layer(wish)
    provider = layer.dataProvider()
    extent = QgsRectangle(*wish['extent']) if 'extent' in wish else layer.extent()
    width, height = wish['size']
    bands = []
    for band in range(1, layer.bandCount() + 1):
        block = provider.block(band, extent, width, height)
        bands.append([None if block.isNoData(row, column) else block.value(row, column) for row in range(height) for column in range(width)])
    return {'crs': layer.crs().authid(), 'size': [layer.width(), layer.height()], 'extent': layer.extent().toString(6), 'bands': bands}


def load_style(wish):
    """Takes a style document, and draws the layer by it."""
    layer = open_layer(wish)
    load = layer.loadNamedStyle if wish['style'].endswith('.qml') else layer.loadSldStyle
    message, is_loaded = load(wish['style'])
    errors = draw_layers([layer], wish['extent'], wish['to'])
    return {'message': message, 'isLoaded': is_loaded, 'errors': errors}


def run_script(wish):
    """Runs what a document says to paste into the console, and draws the layers that are in the project then."""
    exec(wish['script'], {})
    drawn = {}
    for layer in QgsProject.instance().mapLayers().values():
        to = wish['to'] + '-' + layer.name() + '.png'
        drawn[layer.name()] = {'isValid': layer.isValid(), 'errors': draw_layers([layer], wish['extent'], to), 'to': to}
    return drawn


def save_categories(wish):
    """A layer in a colour for each value of a column: drawn, and its style saved as QML and SLD."""
    layer = open_layer(wish)
    index = layer.fields().indexOf(wish['column'])
    categories = []
    for place, value in enumerate(sorted(layer.uniqueValues(index))):
        colour = wish['colours'][place % len(wish['colours'])]
        symbol = QgsFillSymbol.createSimple({'color': colour, 'outline_style': 'no'})
        categories.append(QgsRendererCategory(value, symbol, str(value)))
    layer.setRenderer(QgsCategorizedSymbolRenderer(wish['column'], categories))
    layer.saveNamedStyle(wish['to'] + '.qml')
    layer.saveSldStyle(wish['to'] + '.sld')
    return {'errors': draw_layers([layer], wish['extent'], wish['to'] + '.png')}


def edit_features(wish):
    """Edits features in one editing session and saves them, as the editing tools do; features are named by a value of `key`."""
    layer = open_layer(wish)
    if not layer.startEditing():
        raise ValueError('cannot be edited: capabilities ' + layer.dataProvider().capabilitiesString())
    ids = {one[wish['key']]: one.id() for one in layer.getFeatures()}
    for edit in wish['edits']:
        geometry = QgsGeometry.fromWkt(edit['wkt']) if 'wkt' in edit else None
        values = edit.get('values', {})
        if edit['do'] == 'add':
            feature = QgsFeature(layer.fields())
            feature.setGeometry(geometry)
            for name, value in values.items():
                feature.setAttribute(name, value)
            done = layer.addFeature(feature)
        elif edit['do'] == 'delete':
            done = layer.deleteFeature(ids[edit['of']])
        else:
            done = geometry is None or layer.changeGeometry(ids[edit['of']], geometry)
            for name, value in values.items():
                done = done and layer.changeAttributeValue(ids[edit['of']], layer.fields().indexOf(name), value)
        if not done:
            raise ValueError('refused by QGIS: ' + json.dumps(edit))
    is_saved = layer.commitChanges()
    rows = {} if not is_saved else {str(one[wish['key']]): [values_of(one, wish['names']), one.geometry().asWkt(6)] for one in layer.getFeatures()}
    return {'isSaved': is_saved, 'errors': layer.commitErrors(), 'rows': rows}


def log_in(wish):
    """A login as the dialog of a connection keeps it, for `authcfg=`."""
    manager = QgsApplication.authManager()
    manager.setMasterPassword('of this profile', True)
    login = QgsAuthMethodConfig()
    login.setName('maps')
    login.setMethod('Basic')
    login.setConfig('username', wish['user'])
    login.setConfig('password', wish['password'])
    manager.storeAuthenticationConfig(login)
    return {'id': login.id()}


wishes = {
    'tiles': read_tiles, 'identify': identify_points, 'compare': compare_shapes, 'draw': draw, 'features': read_features,
    'categories': save_categories, 'login': log_in, 'style': load_style, 'coverage': read_coverage, 'script': run_script,
    'edit': edit_features,
}

application = QgsApplication([], True)
application.initQgis()
for line in sys.stdin:
    wish = json.loads(line)
    QgsProject.instance().clear()
    try:
        answer = wishes[wish['do']](wish)
    except Exception as error:  # A wish that fails is told; the next one is done.
        answer = {'error': type(error).__name__ + ': ' + str(error)}
    print(json.dumps(answer), flush=True)
application.exitQgis()
