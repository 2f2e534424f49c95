<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0"
	xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
	xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"
	xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
	xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
	exclude-result-prefixes="s image video">
	<xsl:output method="html" encoding="UTF-8" indent="yes"/>
	<xsl:template match="/">
		<html lang="en">
			<head>
				<title>XML sitemap</title>
				<meta name="robots" content="noindex, follow"/>
				<meta name="viewport" content="width=device-width, initial-scale=1"/>
				<style>
					body { max-width: 72rem; margin: 0 auto; padding: 1rem; font: 15px/1.45 system-ui, sans-serif; color: #1d2327; }
					table { width: 100%; border-collapse: collapse; }
					th, td { padding: .3rem .5rem; text-align: left; overflow-wrap: anywhere; }
					tr:nth-child(even) td { background: #f6f7f7; }
					td.n { text-align: right; }
				</style>
			</head>
			<body>
				<h1>XML sitemap</h1>
				<xsl:apply-templates/>
			</body>
		</html>
	</xsl:template>
	<xsl:template match="s:sitemapindex">
		<p>This list of <xsl:value-of select="count(s:sitemap)"/> sitemaps is made for search engines.</p>
		<table>
			<tr><th>Sitemap</th><th>Last modified</th></tr>
			<xsl:for-each select="s:sitemap">
				<tr>
					<td><a href="{s:loc}"><xsl:value-of select="s:loc"/></a></td>
					<td><xsl:value-of select="s:lastmod"/></td>
				</tr>
			</xsl:for-each>
		</table>
	</xsl:template>
	<xsl:template match="s:urlset">
		<p>This list of <xsl:value-of select="count(s:url)"/> pages is made for search engines.</p>
		<table>
			<tr><th>Page</th><th>Images</th><th>Videos</th><th>Last modified</th></tr>
			<xsl:for-each select="s:url">
				<tr>
					<td><a href="{s:loc}"><xsl:value-of select="s:loc"/></a></td>
					<td class="n"><xsl:value-of select="count(image:image)"/></td>
					<td class="n"><xsl:value-of select="count(video:video)"/></td>
					<td><xsl:value-of select="s:lastmod"/></td>
				</tr>
			</xsl:for-each>
		</table>
	</xsl:template>
</xsl:stylesheet>
