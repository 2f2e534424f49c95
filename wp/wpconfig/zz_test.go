package wpconfig
import ("testing";"os";"fmt")
func TestZZ(t *testing.T){ for _,f:=range os.Args[1:] { if f[0]!='/'{continue}; c,err:=Parse(f,Options{}); fmt.Println("==",f,err); if err!=nil{continue}; d,err:=c.Database(); fmt.Println(d,d.Password,d.Charset,d.Collate,err,c.TablePrefix,c.Multisite()); for _,u:=range c.Unknown{fmt.Println(" U",u.Error())}; for _,u:=range c.Warnings{fmt.Println(" W",u.Error())}; for _,n:=range []string{"WP_DEBUG","ABSPATH","WP_CONTENT_DIR","DOMAIN_CURRENT_SITE","WP_HOME"}{s,ok:=c.String(n);fmt.Printf("  %s=%q %v\n",n,s,ok)}}}
