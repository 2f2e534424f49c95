<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0"
	xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
	xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"
	xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
	xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
	xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
	exclude-result-prefixes="s image news video">
	<xsl:output method="html" encoding="UTF-8" indent="no" doctype-system="about:legacy-compat"/>
	<xsl:template match="/">
		<html lang="en">
			<head>
				<title>XML sitemap</title>
				<meta name="robots" content="noindex, follow"/>
				<meta name="viewport" content="width=device-width, initial-scale=1"/>
				<meta name="color-scheme" content="light dark"/>
				<style>
					body { max-width: 72rem; margin: 0 auto; padding: 1rem; font: 15px/1.45 system-ui, sans-serif; color: #1d2327; background: #fff; overflow-wrap: anywhere; }
					a { color: #0a5a92; }
					table { width: 100%; border-collapse: collapse; }
					th, td { padding: .3rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid #dcdcde; }
					.n { text-align: right; }
					@media (max-width: 48rem) {
						table, tbody, tr, td { display: block; }
						tr { border-bottom: 1px solid; padding: .5rem 0; }
						th { display: none; }
						td, td.n { padding: 0; border: 0; text-align: left; }
						td[title]:not(:empty)::before { content: attr(title) ": "; }
					}
					@media (prefers-color-scheme: dark) {
						body { color: #e2e4e7; background: #101517; }
						a { color: #7fbcf0; }
						th, td { border-color: #3c434a; }
					}
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
			<tr><th scope="col">Sitemap</th><th scope="col">Last change</th></tr>
			<xsl:for-each select="s:sitemap">
				<tr>
					<td><xsl:apply-templates select="s:loc"/></td>
					<td><xsl:value-of select="s:lastmod"/></td>
				</tr>
			</xsl:for-each>
		</table>
	</xsl:template>
	<xsl:template match="s:urlset">
		<xsl:variable name="news" select="s:url/news:news"/>
		<xsl:variable name="videos" select="s:url/video:video"/>
		<xsl:variable name="images" select="s:url/image:image"/>
		<p>This list of <xsl:value-of select="count(s:url)"/> addresses is made for search engines.</p>
		<table>
			<tr>
				<th scope="col">Address</th>
				<xsl:if test="$news"><th scope="col">News</th><th scope="col">Published</th></xsl:if>
				<xsl:if test="$videos"><th scope="col">Videos</th></xsl:if>
				<xsl:if test="$images"><th scope="col" class="n">Images</th></xsl:if>
				<th scope="col">Last change</th>
			</tr>
			<xsl:for-each select="s:url">
				<tr>
					<td><xsl:apply-templates select="s:loc"/></td>
					<xsl:if test="$news">
						<td><xsl:value-of select="news:news/news:title"/></td>
						<td><xsl:value-of select="news:news/news:publication_date"/></td>
					</xsl:if>
					<xsl:if test="$videos">
						<td><xsl:for-each select="video:video"><div><xsl:value-of select="video:title"/></div></xsl:for-each></td>
					</xsl:if>
					<xsl:if test="$images"><td class="n" title="Images"><xsl:if test="image:image"><xsl:value-of select="count(image:image)"/></xsl:if></td></xsl:if>
					<td><xsl:value-of select="s:lastmod"/></td>
				</tr>
			</xsl:for-each>
		</table>
	</xsl:template>
	<!-- Only addresses of the web become links. -->
	<xsl:template match="s:loc">
		<xsl:choose>
			<xsl:when test="starts-with(., 'http://') or starts-with(., 'https://')"><a href="{.}"><xsl:value-of select="."/></a></xsl:when>
			<xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
		</xsl:choose>
	</xsl:template>
</xsl:stylesheet>
