/// The script of a page: strict, without a global name, and of all that is told it makes nothing but text.
enum PageScript {
  static let text =
    "(function () {\n\"use strict\";\n" + [elements, summary, model, drawing, timescale, sequence, details, sweep, start].joined()
    + "}());\n"
}
